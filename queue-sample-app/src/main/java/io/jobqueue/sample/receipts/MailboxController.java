package io.jobqueue.sample.receipts;

import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/**
 * Shows what came to the embedded SMTP server.
 */
@RestController
@ConditionalOnBooleanProperty("shop.smtp.embedded")
class MailboxController {

	private final Mailbox mailbox;

	private final EmbeddedSmtp server;

	MailboxController(Mailbox mailbox, EmbeddedSmtp server) {
		this.mailbox = mailbox;
		this.server = server;
	}

	@GetMapping("/mailbox")
	Mailbox.Content show() {
		if (!this.server.isListening()) {
			throw new ResponseStatusException(HttpStatus.NOT_FOUND,
					"The SMTP server is in another process of the shop: ask there");
		}
		return this.mailbox.content();
	}

}
