package io.jobqueue.sample.receipts;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.context.SmartLifecycle;
import org.springframework.mail.javamail.JavaMailSenderImpl;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;
import org.springframework.stereotype.Component;

/**
 * A real SMTP server in the shop's own process, where the mail sender expects it. If the
 * port is in use, another process of the shop has it: then mail goes there, and this
 * process takes the port over when the other one ends.
 */
@Component
@ConditionalOnBooleanProperty("shop.smtp.embedded")
class EmbeddedSmtp implements SmartLifecycle {

	private static final Logger log = LoggerFactory.getLogger(EmbeddedSmtp.class);

	private static final String HOST = "127.0.0.1";

	private static final long RETRY_MS = 1_000;

	private final JavaMailSenderImpl sender;

	private final Mailbox mailbox;

	/** Written by whoever holds this object's monitor, as is {@link #server}. */
	private volatile @Nullable ScheduledExecutorService retries;

	private volatile @Nullable SmtpOnSocket server;

	EmbeddedSmtp(JavaMailSenderImpl sender, Mailbox mailbox) {
		this.sender = sender;
		this.mailbox = mailbox;
	}

	@Override
	public synchronized void start() {
		if (this.retries != null) {
			return;
		}
		if (!listen()) {
			log.info("Port {} is in use: receipts go to the SMTP server that listens there, until it ends",
					this.sender.getPort());
		}
		CustomizableThreadFactory factory = new CustomizableThreadFactory("shop-smtp-");
		factory.setDaemon(true);
		ScheduledExecutorService started = Executors.newSingleThreadScheduledExecutor(factory);
		this.retries = started;
		if (!isListening()) {
			started.scheduleWithFixedDelay(() -> takeOver(started), RETRY_MS, RETRY_MS, TimeUnit.MILLISECONDS);
		}
	}

	private synchronized void takeOver(ScheduledExecutorService caller) {
		if (!caller.isShutdown() && listen()) {
			caller.shutdown();
		}
	}

	/**
	 * Binding the port decides which process is the server, so that no two can think they
	 * are.
	 */
	private boolean listen() {
		ServerSocket socket = bind(this.sender.getPort());
		if (socket == null) {
			return false;
		}
		SmtpOnSocket started = new SmtpOnSocket(socket, this.mailbox);
		started.open();
		this.server = started;
		// With port 0 the operating system has chosen one.
		this.sender.setPort(socket.getLocalPort());
		log.info("Receipts go to the embedded SMTP server at {}:{}", HOST, socket.getLocalPort());
		return true;
	}

	private static @Nullable ServerSocket bind(int port) {
		try {
			ServerSocket socket = new PromptServerSocket();
			try {
				socket.setReuseAddress(true);
				socket.bind(new InetSocketAddress(HOST, port));
				return socket;
			}
			catch (IOException ex) {
				socket.close();
				return null;
			}
		}
		catch (IOException ex) {
			return null;
		}
	}

	@Override
	public synchronized void stop() {
		ScheduledExecutorService running = this.retries;
		this.retries = null;
		if (running != null) {
			running.shutdown();
		}
		SmtpOnSocket listening = this.server;
		this.server = null;
		if (listening != null) {
			listening.stopService();
		}
	}

	/**
	 * Whether it was started and not stopped, be it with the port or waiting for it.
	 */
	@Override
	public boolean isRunning() {
		return this.retries != null;
	}

	/**
	 * Whether this process has the port, and so all the mail.
	 */
	boolean isListening() {
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
