package io.jobqueue.sample.receipts;

import io.jobqueue.JobHandler;
import io.jobqueue.sample.orders.Order;
import jakarta.mail.MessagingException;
import jakarta.mail.internet.AddressException;
import jakarta.mail.internet.MimeMessage;

import org.springframework.mail.javamail.JavaMailSender;
import org.springframework.mail.javamail.MimeMessageHelper;
import org.springframework.stereotype.Component;

/**
 * Sends receipts. A mail cannot be taken back, so it is sent at least once: again, if the
 * process dies between the sending and the commit that says so. Its Message-ID depends on
 * the order alone, so that a receiver can tell.
 */
@Component
class Receipts {

	private final JavaMailSender sender;

	Receipts(JavaMailSender sender) {
		this.sender = sender;
	}

	@JobHandler(value = "send-receipt", noRetryFor = AddressException.class)
	void send(Order order) throws MessagingException {
		MimeMessage mail = this.sender.createMimeMessage();
		MimeMessageHelper parts = new MimeMessageHelper(mail, "UTF-8");
		parts.setFrom("shop@shop.example");
		parts.setTo(order.email());
		parts.setSubject("Receipt for order " + order.reference());
		parts.setText("Dear " + order.customer() + ",\n\nthank you for your order of " + order.amount() + ".\n");
		mail.setHeader("Message-ID", "<receipt-" + order.reference() + "@shop.example>");
		this.sender.send(mail);
	}

}
