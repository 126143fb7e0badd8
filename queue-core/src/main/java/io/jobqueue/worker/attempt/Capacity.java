package io.jobqueue.worker.attempt;

import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

import io.jobqueue.worker.WorkerSettings;

/**
 * How many jobs the worker may hold: for its free slots, and ahead of them as many as it
 * finishes in a tenth of a second. Jobs that are slow are therefore left to whoever has a
 * slot for them, while quick ones never keep the slots waiting for a round trip.
 * <p>
 * Jobs that have run are held until their results are committed. Nobody else could run
 * them, so they have more room. Otherwise a worker would never claim during a commit
 * where the two together take longer than a tenth of a second.
 */
public final class Capacity {

	/** How long ends are counted for, at least. */
	private static final long WINDOW_NANOS = Duration.ofMillis(20).toNanos();

	/**
	 * Ends are counted when they are committed, hundreds at once. Between two commits the
	 * rate stays as it is, but no longer than this.
	 */
	private static final long QUIET_NANOS = Duration.ofMillis(200).toNanos();

	/** For how long a worker holds jobs that have not run, at its present rate. */
	private static final double AHEAD_SECONDS = 0.1;

	/** The same for all jobs, also those whose results wait to be committed. */
	private static final double HELD_SECONDS = 0.3;

	private static final double WEIGHT = 0.3;

	private final WorkerSettings.Slots settings;

	private final LongSupplier nanoTime;

	private final LongAdder finished = new LongAdder();

	private volatile int deferred;

	/** The rest is used by the poll loop's thread only. */
	private long windowStart;

	private long finishedAtStart;

	private double perSecond;

	public Capacity(WorkerSettings.Slots settings, LongSupplier nanoTime) {
		this.settings = settings;
		this.nanoTime = nanoTime;
		this.windowStart = nanoTime.getAsLong();
	}

	/**
	 * Counts jobs that have ended.
	 */
	void finished(int jobs) {
		this.finished.add(jobs);
	}

	/**
	 * Says how many results wait because they cannot be committed.
	 */
	void deferred(int results) {
		this.deferred = results;
	}

	/**
	 * How many results wait for a commit and keep no slot busy. Capped, so that a worker
	 * does not run the whole backlog while nothing can be committed.
	 */
	public int deferred() {
		return Math.min(this.deferred, this.settings.concurrency() + this.settings.prefetch());
	}

	/**
	 * How many jobs the worker should hold at most, beside those whose results are
	 * deferred.
	 * @param stuck how many slots cannot be used
	 */
	public Limits limits(int stuck) {
		long now = this.nanoTime.getAsLong();
		long elapsed = now - this.windowStart;
		long total = this.finished.sum();
		boolean quiet = total == this.finishedAtStart;
		if (!quiet && elapsed >= WINDOW_NANOS) {
			double current = (total - this.finishedAtStart) * 1e9 / elapsed;
			// A long time counts as many windows, or an old rate would outlive it.
			double weight = 1 - Math.pow(1 - WEIGHT, Math.min(100, (double) elapsed / WINDOW_NANOS));
			this.perSecond += weight * (current - this.perSecond);
			this.windowStart = now;
			this.finishedAtStart = total;
		}
		int free = this.settings.concurrency() - stuck;
		if (free <= 0) {
			return Limits.NONE;
		}
		double rate = (quiet && elapsed >= QUIET_NANOS) ? 0 : this.perSecond;
		return new Limits(free + ahead(rate, AHEAD_SECONDS), free + ahead(rate, HELD_SECONDS));
	}

	private int ahead(double perSecond, double seconds) {
		return (int) Math.min(this.settings.prefetch(), Math.round(perSecond * seconds));
	}

	/**
	 * How much a worker holds at most.
	 *
	 * @param toRun jobs that wait for a slot or run
	 * @param held these, and those whose results wait to be committed
	 */
	public record Limits(int toRun, int held) {

		static final Limits NONE = new Limits(0, 0);

	}

}
