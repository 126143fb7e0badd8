package io.jobqueue.node;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

import io.jobqueue.worker.thread.ResilientThread;

import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * The threads of a worker, but for those of its slots.
 */
final class WorkerThreads {

	static final String POLL_LOOP = "jobqueue-poll";

	static final String KEY_LOOP = "jobqueue-keys";

	static final String FINISHER = "jobqueue-finish";

	private final List<Thread> threads = new ArrayList<>();

	private final ScheduledExecutorService heartbeats = timer("jobqueue-heartbeat-");

	private final ScheduledExecutorService watchdog = timer("jobqueue-watch-");

	private static ScheduledExecutorService timer(String name) {
		return Executors.newSingleThreadScheduledExecutor(new CustomizableThreadFactory(name));
	}

	/**
	 * Starts a thread that does one step after another until it says that it was the
	 * last.
	 */
	void start(String name, ResilientThread.Step step) {
		this.threads.add(ResilientThread.start(name, step));
	}

	void startHeartbeats(Runnable beat, Duration interval) {
		start(this.heartbeats, "Heartbeat", beat, interval);
	}

	void startWatchdog(Runnable watch, Duration interval) {
		start(this.watchdog, "Watching the attempts", watch, interval);
	}

	private static void start(ScheduledExecutorService timer, String what, Runnable work, Duration interval) {
		timer.scheduleWithFixedDelay(() -> ResilientThread.guarded(what, work), interval.toMillis(),
				interval.toMillis(), TimeUnit.MILLISECONDS);
	}

	/**
	 * Whether a thread that was started by its name has not ended.
	 */
	boolean isAlive(String name) {
		return this.threads.stream().anyMatch((thread) -> thread.getName().equals(name) && thread.isAlive());
	}

	/**
	 * Stops what was started at an interval. The others end by themselves.
	 */
	void stopTimers() {
		this.watchdog.shutdownNow();
		this.heartbeats.shutdownNow();
	}

	/**
	 * Waits for something, whether the thread is interrupted or not.
	 */
	static void awaitQuietly(Duration most, BooleanSupplier condition) {
		long until = System.nanoTime() + most.toNanos();
		boolean interrupted = false;
		while (!condition.getAsBoolean() && System.nanoTime() - until < 0) {
			LockSupport.parkNanos(2_000_000);
			// An interrupted thread does not park.
			interrupted |= Thread.interrupted();
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

}
