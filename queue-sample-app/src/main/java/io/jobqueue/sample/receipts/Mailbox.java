package io.jobqueue.sample.receipts;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

import com.icegreen.greenmail.imap.ImapHostManagerImpl;
import com.icegreen.greenmail.mail.MovingMessage;
import com.icegreen.greenmail.store.InMemoryStore;
import com.icegreen.greenmail.user.UserImpl;
import jakarta.mail.MessagingException;

import org.springframework.stereotype.Component;

/**
 * The mailbox that all mails end in. It counts them and keeps the latest, so that it can
 * take any number.
 */
@Component
class Mailbox extends UserImpl {

	private final AtomicLong mails = new AtomicLong();

	private final AtomicLong changes = new AtomicLong();

	private final Set<String> messageIds = ConcurrentHashMap.newKeySet();

	private volatile String latest = "";

	Mailbox() {
		super("everybody@example.com", "everybody", "", new ImapHostManagerImpl(new InMemoryStore()));
	}

	@Override
	public void deliver(MovingMessage mail) {
		try {
			String id = String.valueOf(mail.getMessage().getMessageID());
			this.latest = mail.getMessage().getSubject() + ", to " + mail.getToAddresses();
			if (id.startsWith("<change-")) {
				this.changes.incrementAndGet();
				return;
			}
			this.messageIds.add(id);
			this.mails.incrementAndGet();
		}
		catch (MessagingException ex) {
			// The server answers with an error, and the receipt is sent again.
			throw new IllegalStateException("A mail could not be read", ex);
		}
	}

	Content content() {
		// In this order, since a mail's id is added before it is counted.
		long received = this.mails.get();
		long distinct = Math.min(received, this.messageIds.size());
		return new Content(received, distinct, received - distinct, this.changes.get(), this.latest);
	}

	/**
	 * What has come.
	 *
	 * @param mails how many receipts
	 * @param orders for how many orders, told by the Message-ID
	 * @param duplicates how many came again
	 * @param changes how many mails that tell of changes
	 * @param latest the subject of the latest and whom it is for
	 */
	record Content(long mails, long orders, long duplicates, long changes, String latest) {

	}

}
