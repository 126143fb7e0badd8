package io.jobqueue.sample.changes;

import java.time.Clock;
import java.time.LocalDateTime;

import io.jobqueue.JobHandler;
import io.jobqueue.OnDead;
import jakarta.mail.MessagingException;
import jakarta.mail.internet.AddressException;
import jakarta.mail.internet.MimeMessage;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.mail.javamail.JavaMailSender;
import org.springframework.mail.javamail.MimeMessageHelper;
import org.springframework.stereotype.Component;

/**
 * Tells customers of changes of their orders. A mail that cannot be sent keeps the later
 * ones of the same order back: a customer who reads only the last of two changes would
 * believe something wrong.
 */
@Component
class ChangeMails {

	private final JavaMailSender sender;

	private final JdbcClient client;

	ChangeMails(JavaMailSender sender, JdbcClient client) {
		this.sender = sender;
		this.client = client;
	}

	@JobHandler(value = "mail-order-change", onDead = OnDead.BLOCK, noRetryFor = AddressException.class)
	void mail(OrderChange change) throws MessagingException {
		Customer customer = this.client.sql("SELECT reference, customer, email FROM shop_order WHERE id = ?")
			.param(change.orderId())
			.query(Customer.class)
			.single();
		MimeMessage mail = this.sender.createMimeMessage();
		MimeMessageHelper parts = new MimeMessageHelper(mail, "UTF-8");
		parts.setFrom("shop@shop.example");
		parts.setTo(customer.email());
		parts.setSubject("Change " + change.number() + " of order " + customer.reference());
		parts.setText("Dear " + customer.customer() + ",\n\n" + change.text() + "\n");
		mail.setHeader("Message-ID", "<change-" + customer.reference() + "-" + change.number() + "@shop.example>");
		this.sender.send(mail);
		this.client.sql("UPDATE shop_order_change SET mailed_at = ? WHERE order_id = ? AND number = ?")
			.params(LocalDateTime.now(Clock.systemUTC()), change.orderId(), change.number())
			.update();
	}

	/**
	 * Whom to tell.
	 */
	record Customer(String reference, String customer, String email) {

	}

}
