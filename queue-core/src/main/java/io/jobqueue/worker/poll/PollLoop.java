package io.jobqueue.worker.poll;

import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

import io.jobqueue.worker.thread.WakeUp;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does one round of polling after another, and compares table and memory in between.
 * Whatever fails, it goes on.
 */
public final class PollLoop {

	private static final Logger log = LoggerFactory.getLogger(PollLoop.class);

	private static final Duration MAX_PAUSE = Duration.ofSeconds(3);

	private final PollRound round;

	private final Reconciliation reconciliation;

	private final WakeUp wakeUp;

	private final Duration heartbeatInterval;

	private final LongSupplier nanoTime;

	private final RandomGenerator random;

	private volatile boolean stopped;

	private volatile long lastRoundNanos;

	private volatile boolean failing;

	/** Used by the loop's thread only. */
	private int failures;

	public PollLoop(PollRound round, Reconciliation reconciliation, WakeUp wakeUp, Duration heartbeatInterval,
			LongSupplier nanoTime, RandomGenerator random) {
		this.round = round;
		this.reconciliation = reconciliation;
		this.wakeUp = wakeUp;
		this.heartbeatInterval = heartbeatInterval;
		this.nanoTime = nanoTime;
		this.random = random;
		this.lastRoundNanos = nanoTime.getAsLong();
	}

	/**
	 * Does one round and waits for the next.
	 * @return false if there will be no more
	 */
	public boolean step() throws InterruptedException {
		if (!this.stopped) {
			sleep(attempt(this::poll));
		}
		if (this.stopped) {
			attempt(() -> {
				this.round.stopped();
				return Duration.ZERO;
			});
		}
		return !this.stopped;
	}

	/**
	 * Waits for the next round, but compares table and memory meanwhile, as often as that
	 * is due. A wake-up ends the wait, except for the pause after a failed poll: every
	 * enqueue on this node wakes the loop, so there would be no pause.
	 */
	private void sleep(Duration delay) throws InterruptedException {
		long until = this.nanoTime.getAsLong() + delay.toNanos();
		long slice = this.heartbeatInterval.toNanos();
		// Not what fails meanwhile: this wait may be a long one.
		boolean pause = this.failing;
		while (!this.stopped) {
			this.lastRoundNanos = this.nanoTime.getAsLong();
			long left = until - this.lastRoundNanos;
			if (this.wakeUp.await(Duration.ofNanos(Math.min(left, slice)))) {
				this.round.wokenUp();
				if (pause && left > 0) {
					continue;
				}
				return;
			}
			if (left <= slice) {
				return;
			}
			attempt(() -> {
				this.reconciliation.runIfDue();
				return Duration.ZERO;
			});
		}
	}

	private Duration poll() {
		this.reconciliation.runIfDue();
		Duration delay = this.round.poll();
		if (this.failing && this.round.wasDone()) {
			this.failing = false;
			this.failures = 0;
			log.info("Polling works again");
		}
		return delay;
	}

	public void stop() {
		this.stopped = true;
		this.wakeUp.signal();
	}

	/**
	 * How long ago the last round ended.
	 */
	public Duration sinceLastRound() {
		return Duration.ofNanos(this.nanoTime.getAsLong() - this.lastRoundNanos);
	}

	public boolean isFailing() {
		return this.failing;
	}

	private Duration attempt(Supplier<Duration> work) {
		try {
			return work.get();
		}
		catch (Throwable ex) {
			// Whatever it is, a loop that ends would leave the worker alive and idle.
			// A claim whose commit was lost may have left jobs that nobody runs.
			this.reconciliation.request();
			if (!this.failing) {
				this.failing = true;
				log.warn("Polling failed; the worker pauses and tries again: {}", ex.toString());
			}
			log.debug("Polling failed", ex);
			this.failures++;
			long most = Math.min(MAX_PAUSE.toMillis(), 50L << Math.min(this.failures, 10));
			return Duration.ofMillis(most / 2 + this.random.nextLong(most / 2 + 1));
		}
	}

}
