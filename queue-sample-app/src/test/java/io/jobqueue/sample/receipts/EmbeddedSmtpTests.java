package io.jobqueue.sample.receipts;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.mail.SimpleMailMessage;
import org.springframework.mail.javamail.JavaMailSenderImpl;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which process of several has the SMTP port, and what happens when it ends.
 */
class EmbeddedSmtpTests {

	private static final Duration SOON = Duration.ofSeconds(20);

	private final List<Process> processes = new ArrayList<>();

	@AfterEach
	void stop() {
		this.processes.forEach((process) -> process.smtp.stop());
	}

	@Test
	void aPortThatBecomesFreeIsTakenOver() throws IOException {
		Process process;
		try (ServerSocket taken = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"))) {
			process = add(taken.getLocalPort());
			process.smtp.start();
			assertThat(process.smtp.isRunning()).isTrue();
			assertThat(process.smtp.isListening()).isFalse();
		}
		Awaitility.await().atMost(SOON).until(process.smtp::isListening);
		process.send();
		assertThat(process.mailbox.content().mails()).isOne();
	}

	@Test
	void ofManyThatStartAtOnceOneHasThePortAndWhenItStopsAnother() throws Exception {
		int port = freePort();
		for (int i = 0; i < 8; i++) {
			add(port);
		}
		startAtOnce();
		Process first = theOneThatListens();
		this.processes.get(0).send();
		assertThat(first.mailbox.content().mails()).isOne();

		first.smtp.stop();
		this.processes.remove(first);
		Awaitility.await().atMost(SOON).until(() -> this.processes.stream().anyMatch((it) -> it.smtp.isListening()));
		Process second = theOneThatListens();
		this.processes.get(0).send();
		assertThat(second.mailbox.content().mails()).isOne();
		assertThat(first.mailbox.content().mails()).isOne();
	}

	@Test
	void whoHasStoppedDoesNotTakeThePortAndMayStartAgain() throws IOException {
		Process process;
		try (ServerSocket taken = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"))) {
			process = add(taken.getLocalPort());
			process.smtp.start();
			process.smtp.stop();
			assertThat(process.smtp.isRunning()).isFalse();
			Awaitility.await().atMost(SOON).until(() -> retryingThreads() == 0);
		}
		assertThat(process.smtp.isListening()).isFalse();
		for (int i = 0; i < 3; i++) {
			process.smtp.start();
			assertThat(process.smtp.isListening()).isTrue();
			process.send();
			process.smtp.stop();
			assertThat(process.smtp.isListening()).isFalse();
		}
		assertThat(process.mailbox.content().mails()).isEqualTo(3);
		assertThat(retryingThreads()).isZero();
	}

	private Process add(int port) {
		Process process = new Process(port);
		this.processes.add(process);
		return process;
	}

	private void startAtOnce() throws Exception {
		ExecutorService threads = Executors.newFixedThreadPool(this.processes.size());
		try {
			CyclicBarrier barrier = new CyclicBarrier(this.processes.size());
			List<CompletableFuture<Void>> starts = new ArrayList<>();
			for (Process process : this.processes) {
				starts.add(CompletableFuture.runAsync(() -> {
					await(barrier);
					process.smtp.start();
				}, threads));
			}
			starts.forEach(CompletableFuture::join);
		}
		finally {
			threads.shutdown();
		}
	}

	private Process theOneThatListens() {
		List<Process> listening = this.processes.stream().filter((process) -> process.smtp.isListening()).toList();
		assertThat(listening).hasSize(1);
		return listening.get(0);
	}

	private static void await(CyclicBarrier barrier) {
		try {
			barrier.await();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static long retryingThreads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith("shop-smtp-"))
			.count();
	}

	private static int freePort() throws IOException {
		try (ServerSocket socket = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"))) {
			return socket.getLocalPort();
		}
	}

	/**
	 * What each process of the shop has for its receipts.
	 */
	private static final class Process {

		private final JavaMailSenderImpl sender = new JavaMailSenderImpl();

		private final Mailbox mailbox = new Mailbox();

		private final EmbeddedSmtp smtp = new EmbeddedSmtp(this.sender, this.mailbox);

		Process(int port) {
			this.sender.setHost("127.0.0.1");
			this.sender.setPort(port);
			this.sender.getJavaMailProperties().setProperty("mail.smtp.localhost", "localhost");
		}

		void send() {
			SimpleMailMessage mail = new SimpleMailMessage();
			mail.setFrom("shop@shop.example");
			mail.setTo("a@example.com");
			mail.setSubject("Receipt");
			mail.setText("Thank you.");
			this.sender.send(mail);
		}

	}

}
