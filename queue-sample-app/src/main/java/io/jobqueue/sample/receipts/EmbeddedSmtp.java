package io.jobqueue.sample.receipts;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetup;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.context.SmartLifecycle;
import org.springframework.mail.javamail.JavaMailSenderImpl;
import org.springframework.stereotype.Component;

/**
 * A real SMTP server in the shop's own process, where the mail sender expects it. If the
 * port is in use, another process of the shop has it: then mail goes there.
 */
@Component
@ConditionalOnBooleanProperty("shop.smtp.embedded")
class EmbeddedSmtp implements SmartLifecycle {

	private static final Logger log = LoggerFactory.getLogger(EmbeddedSmtp.class);

	private static final String HOST = "127.0.0.1";

	private static final long STARTUP_TIMEOUT_MS = 20_000;

	private final JavaMailSenderImpl sender;

	private final Mailbox mailbox;

	private volatile @Nullable GreenMail server;

	EmbeddedSmtp(JavaMailSenderImpl sender, Mailbox mailbox) {
		this.sender = sender;
		this.mailbox = mailbox;
	}

	@Override
	public void start() {
		int port = this.sender.getPort();
		if (!isFree(port)) {
			log.info("Port {} is in use: receipts go to the SMTP server that listens there", port);
			return;
		}
		ServerSetup setup = new ServerSetup(port, HOST, ServerSetup.PROTOCOL_SMTP);
		setup.setServerStartupTimeout(STARTUP_TIMEOUT_MS);
		GreenMail started = new GreenMail(setup);
		started.getUserManager().setMessageDeliveryHandler((mail, to) -> this.mailbox);
		started.start();
		this.server = started;
		// With port 0 the operating system has chosen one.
		this.sender.setPort(started.getSmtp().getPort());
		log.info("Receipts go to the embedded SMTP server at {}:{}", HOST, this.sender.getPort());
	}

	private static boolean isFree(int port) {
		try (ServerSocket probe = new ServerSocket()) {
			probe.setReuseAddress(true);
			probe.bind(new InetSocketAddress(HOST, port));
			return true;
		}
		catch (IOException ex) {
			return false;
		}
	}

	@Override
	public void stop() {
		GreenMail running = this.server;
		this.server = null;
		if (running != null) {
			running.stop();
		}
	}

	@Override
	public boolean isRunning() {
		return this.server != null;
	}

	/**
	 * Before the worker starts, and after it has stopped.
	 */
	@Override
	public int getPhase() {
		return 0;
	}

}
