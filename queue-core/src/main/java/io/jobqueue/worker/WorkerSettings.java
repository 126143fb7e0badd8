package io.jobqueue.worker;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * How a worker works.
 *
 * @param name what operators know it by
 * @param queues the queues that it serves; empty for all
 * @param slots how much it runs and holds at once
 * @param timing how often and how long
 * @param rowLockProblem why it must not run jobs of queues in the mode row-lock; empty if
 * it may
 * @param shares how its slots are shared among queues
 */
public record WorkerSettings(String name, List<String> queues, Slots slots, Timing timing, String rowLockProblem,
		Shares shares) {

	/** What the sessions' table holds. */
	private static final int MAX_NAME = 255;

	public WorkerSettings {
		if (name.isBlank() || name.length() > MAX_NAME) {
			throw new IllegalArgumentException(
					"The worker's name must have from 1 to " + MAX_NAME + " characters, but has " + name.length());
		}
		queues = List.copyOf(queues);
	}

	/**
	 * A worker that may run jobs of queues in any mode.
	 */
	public WorkerSettings(String name, List<String> queues, Slots slots, Timing timing) {
		this(name, queues, slots, timing, "", Shares.EQUAL);
	}

	/**
	 * A worker that serves every queue, with the default settings.
	 * @param name what operators know it by
	 * @return the settings
	 */
	public static WorkerSettings named(String name) {
		return new WorkerSettings(name, List.of(), Slots.DEFAULT, Timing.DEFAULT);
	}

	public WorkerSettings with(Slots slots) {
		return new WorkerSettings(this.name, this.queues, slots, this.timing, this.rowLockProblem, this.shares);
	}

	public WorkerSettings with(Timing timing) {
		return new WorkerSettings(this.name, this.queues, this.slots, timing, this.rowLockProblem, this.shares);
	}

	public WorkerSettings withRowLockProblem(String problem) {
		return new WorkerSettings(this.name, this.queues, this.slots, this.timing, problem, this.shares);
	}

	public WorkerSettings with(Shares shares) {
		return new WorkerSettings(this.name, this.queues, this.slots, this.timing, this.rowLockProblem, shares);
	}

	public boolean serves(String queue) {
		return this.queues.isEmpty() || this.queues.contains(queue);
	}

	/**
	 * Whether it serves a queue with all its slots.
	 * @param queue the queue
	 * @return false also if the queue has a number of slots of its own
	 */
	public boolean servesWithAllSlots(String queue) {
		return serves(queue) && !this.shares.concurrency().containsKey(queue);
	}

	/**
	 * How much a worker runs and holds at once.
	 *
	 * @param concurrency how many attempts run at once
	 * @param prefetch how many jobs, beyond those, may be held at most; used only while
	 * jobs are quick. Results that cannot be committed may come on top, up to both
	 * together
	 * @param virtualThreads whether attempts run on virtual threads
	 * @param flushSize how many jobs are claimed, and how many results are committed, in
	 * one transaction at most
	 * @param flushDelay how long a result waits for others while the worker holds other
	 * jobs
	 */
	public record Slots(int concurrency, int prefetch, boolean virtualThreads, int flushSize, Duration flushDelay) {

		public static final Slots DEFAULT = new Slots(8, 2000, false, 1000, Duration.ofMillis(2));

		public Slots {
			if (concurrency < 1 || prefetch < 0 || flushSize < 1) {
				throw new IllegalArgumentException(
						"concurrency and flush size must be at least 1, prefetch at least 0");
			}
		}

		public Slots withConcurrency(int concurrency) {
			return new Slots(concurrency, this.prefetch, this.virtualThreads, this.flushSize, this.flushDelay);
		}

	}

	/**
	 * How the slots of a worker are shared among queues.
	 *
	 * @param weights how many times the usual share a queue gets among those of its
	 * priority, by name; 1 for one that is not named
	 * @param concurrency how many slots a queue may take at once, by name; all of them
	 * for one that is not named
	 */
	public record Shares(Map<String, Integer> weights, Map<String, Integer> concurrency) {

		public static final Shares EQUAL = new Shares(Map.of(), Map.of());

		public Shares {
			weights = Map.copyOf(weights);
			concurrency = Map.copyOf(concurrency);
			if (Stream.concat(weights.values().stream(), concurrency.values().stream()).anyMatch((each) -> each < 1)) {
				throw new IllegalArgumentException("A queue's weight and concurrency must be at least 1");
			}
			if (weights.values().stream().anyMatch((weight) -> weight > 1_000)) {
				throw new IllegalArgumentException("A queue's weight must be at most 1000");
			}
		}

	}

	/**
	 * How often and how long.
	 *
	 * @param pollInterval how often an idle worker looks for jobs of other nodes
	 * @param heartbeatInterval how often it prolongs its session
	 * @param sessionTimeout how long its session lives without a heartbeat
	 * @param shutdownGrace how long running attempts may go on after a stop
	 */
	public record Timing(Duration pollInterval, Duration heartbeatInterval, Duration sessionTimeout,
			Duration shutdownGrace) {

		public static final Timing DEFAULT = new Timing(Duration.ofSeconds(1), Duration.ofSeconds(5),
				Duration.ofSeconds(15), Duration.ofSeconds(20));

		public Timing {
			atLeast("The poll interval", pollInterval, Duration.ofMillis(1));
			atLeast("The heartbeat interval", heartbeatInterval, Duration.ofMillis(10));
			atLeast("The shutdown grace", shutdownGrace, Duration.ZERO);
			if (sessionTimeout.compareTo(Duration.ofDays(1)) > 0) {
				throw new IllegalArgumentException(
						"The session timeout must be at most a day, but is " + sessionTimeout);
			}
			if (heartbeatInterval.multipliedBy(2).compareTo(sessionTimeout) > 0) {
				throw new IllegalArgumentException("The session timeout (" + sessionTimeout
						+ ") must be at least twice the heartbeat interval (" + heartbeatInterval + ")");
			}
		}

		private static void atLeast(String what, Duration value, Duration least) {
			if (value.compareTo(least) < 0) {
				throw new IllegalArgumentException(what + " must be at least " + least + ", but is " + value);
			}
		}

	}

}
