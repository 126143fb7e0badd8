package io.jobqueue.sample.receipts;

import java.net.ServerSocket;

import com.icegreen.greenmail.Managers;
import com.icegreen.greenmail.smtp.SmtpServer;
import com.icegreen.greenmail.util.ServerSetup;

/**
 * GreenMail's SMTP server on a socket that is bound already: left to bind by itself, it
 * logs a stack trace when somebody else was faster. All mail goes to one mailbox.
 */
final class SmtpOnSocket extends SmtpServer {

	private final ServerSocket socket;

	SmtpOnSocket(ServerSocket socket, Mailbox mailbox) {
		super(new ServerSetup(socket.getLocalPort(), socket.getInetAddress().getHostAddress(),
				ServerSetup.PROTOCOL_SMTP), new Managers());
		this.socket = socket;
		this.managers.getUserManager().setMessageDeliveryHandler((mail, to) -> mailbox);
	}

	/**
	 * Starts the server, and returns once it accepts connections, which nothing can keep
	 * it from. GreenMail can only be stopped after that. Stopping closes the socket.
	 */
	void open() {
		startService();
		try {
			waitTillRunning(Long.MAX_VALUE);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while the embedded SMTP server was started", ex);
		}
	}

	@Override
	protected ServerSocket openServerSocket() {
		return this.socket;
	}

}
