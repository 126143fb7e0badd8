package io.jobqueue.benchmark.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

import io.jobqueue.benchmark.Server;
import io.jobqueue.benchmark.system.QueueSystem;
import io.jobqueue.benchmark.system.Systems;

/**
 * A process that enqueues jobs at a steady rate, has no worker, and says when each was
 * committed. It ends with its standard input.
 */
public final class EnqueuerMain {

	/** The command that makes the benchmark such a process. */
	public static final String NAME = "enqueuer";

	/** How many jobs it enqueues in a second. */
	public static final int PER_SECOND = 10;

	static final String ENQUEUED = "enqueued ";

	private EnqueuerMain() {
	}

	/**
	 * Runs until it is ended.
	 * @param name the system
	 * @param server where it runs; its tables are there
	 * @throws IOException if the standard input cannot be read
	 */
	public static void run(String name, Server server) throws IOException {
		BufferedReader parent = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
		try (QueueSystem system = Systems.named(name, server)) {
			System.out.println(ChildProcess.READY);
			if (parent.readLine() == null) {
				return;
			}
			AtomicBoolean ended = new AtomicBoolean();
			Thread end = new Thread(() -> awaitEnd(parent, ended), "end");
			end.setDaemon(true);
			end.start();
			long start = System.nanoTime();
			for (long i = 0; !ended.get(); i++) {
				LockSupport.parkNanos(start + i * 1_000_000_000L / PER_SECOND - System.nanoTime());
				long id = system.enqueueOne();
				System.out.println(ENQUEUED + id + " " + micros());
			}
		}
	}

	private static void awaitEnd(BufferedReader parent, AtomicBoolean ended) {
		try {
			while (parent.readLine() != null) {
				// Nothing else is said.
			}
		}
		catch (IOException ex) {
			// As if it had ended.
		}
		ended.set(true);
	}

	/**
	 * The wall clock, which the processes of one machine share.
	 * @return microseconds since 1970
	 */
	public static long micros() {
		return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
	}

}
