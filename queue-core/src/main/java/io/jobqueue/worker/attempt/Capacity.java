package io.jobqueue.worker.attempt;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

import io.jobqueue.worker.WorkerSettings;

/**
 * How many jobs the worker may hold: for its free slots, and ahead of them as many as it
 * finishes in a tenth of a second, or in the time of three claims if the database is far
 * away. Jobs that are slow are therefore left to whoever has a slot for them, while quick
 * ones do not keep the slots waiting for a claim.
 * <p>
 * Jobs that have run are held until their results are committed. Nobody else could run
 * them, so the room ahead for both together is three times as large. Otherwise a worker
 * would never claim during a commit where the two together take longer than a tenth of a
 * second.
 */
public final class Capacity {

	/** How long ends are counted for, at least. */
	private static final long WINDOW_NANOS = Duration.ofMillis(20).toNanos();

	/**
	 * For how long a worker holds jobs that have not run, at its present rate. Longer
	 * where claims take long: one is to come back before the jobs of the last have run,
	 * also if these wait for a commit in between, or the worker would never find out how
	 * quick they are.
	 */
	private static final long AHEAD_NANOS = Duration.ofMillis(100).toNanos();

	private static final int CLAIMS_AHEAD = 3;

	/**
	 * How many times as long for all jobs, with those whose results wait for a commit.
	 */
	private static final int HELD_TO_AHEAD = 3;

	/**
	 * Ends are counted when they are committed, hundreds at once. Between two commits the
	 * rate stays as it is, but no longer than this many times the time ahead.
	 */
	private static final int QUIET_TO_AHEAD = 2;

	/** A claim counts as this long at most. */
	private static final long LONGEST_CLAIM_NANOS = Duration.ofMillis(500).toNanos();

	/** What a job may cost the server in a claim: work, not distance. */
	private static final long WORK_NANOS = 50_000;

	private static final double WEIGHT = 0.3;

	private final WorkerSettings.Slots settings;

	private final LongSupplier nanoTime;

	private final LongAdder finished = new LongAdder();

	private final LongAdder slow = new LongAdder();

	private final LongAdder slowNanos = new LongAdder();

	private volatile int deferred;

	/** The rest is used by the poll loop's thread only. */
	private long windowStart;

	private long finishedAtStart;

	private long slowAtStart;

	private long slowNanosAtStart;

	private double perSecond;

	private long lastClaimNanos;

	private long claimNanos;

	public Capacity(WorkerSettings.Slots settings, LongSupplier nanoTime) {
		this.settings = settings;
		this.nanoTime = nanoTime;
		this.windowStart = nanoTime.getAsLong();
	}

	/**
	 * Counts jobs that have ended.
	 * @param ran how long the handler of each ran
	 */
	void finished(List<Duration> ran) {
		for (Duration each : ran) {
			if (each.toNanos() > AHEAD_NANOS) {
				this.slowNanos.add(each.toNanos());
				this.slow.increment();
			}
		}
		this.finished.add(ran.size());
	}

	/**
	 * Notes how long a claim took. One that is slow has been held up by something else;
	 * two in a row are slow.
	 * @param jobs how many jobs it brought
	 * @param nanos how long it took
	 */
	public void claimed(int jobs, long nanos) {
		long distance = Math.max(0, Math.min(LONGEST_CLAIM_NANOS, nanos - jobs * WORK_NANOS));
		this.claimNanos = Math.min(distance, this.lastClaimNanos);
		this.lastClaimNanos = distance;
	}

	/**
	 * Says how many results wait because they cannot be committed.
	 */
	void deferred(int results) {
		this.deferred = results;
	}

	/**
	 * How many results wait because they cannot be committed, which take no room. Capped,
	 * so that a worker does not run the whole backlog while nothing can be committed.
	 */
	public int deferred() {
		return (int) Math.min(this.deferred, (long) this.settings.concurrency() + this.settings.prefetch());
	}

	/**
	 * How many jobs the worker should hold at most, beside those whose results are
	 * deferred.
	 * @param stuck how many slots cannot be used
	 * @param standing whether no slot has taken a job for some time; then nothing is held
	 * ahead, or what was given back for that would be claimed again
	 */
	public Limits limits(int stuck, boolean standing) {
		long now = this.nanoTime.getAsLong();
		long elapsed = now - this.windowStart;
		long total = this.finished.sum();
		boolean quiet = total == this.finishedAtStart;
		if (!quiet && elapsed >= WINDOW_NANOS) {
			measure(total, elapsed);
			this.windowStart = now;
		}
		int free = this.settings.concurrency() - stuck;
		if (free <= 0) {
			return Limits.NONE;
		}
		long ahead = Math.max(AHEAD_NANOS, CLAIMS_AHEAD * this.claimNanos);
		double rate = (standing || (quiet && elapsed >= QUIET_TO_AHEAD * ahead)) ? 0 : this.perSecond;
		return new Limits(free + finishedIn(ahead, rate, free), free + finishedIn(HELD_TO_AHEAD * ahead, rate, free));
	}

	private void measure(long total, long elapsed) {
		// In this order, so that the time of each slow job is counted with it.
		long slowTotal = this.slow.sum();
		long slowNanosTotal = this.slowNanos.sum();
		double slowJobs = slowTotal - this.slowAtStart;
		double quickJobs = Math.max(0, total - this.finishedAtStart - slowJobs);
		// Slow jobs that end at about the same time are still slow: the slots cannot go
		// on like that.
		double most = this.settings.concurrency() * slowJobs / Math.max(1, slowNanosTotal - this.slowNanosAtStart);
		double current = (quickJobs / elapsed + Math.min(slowJobs / elapsed, most)) * 1e9;
		// A long time counts as many windows, or an old rate would outlive it.
		double weight = 1 - Math.pow(1 - WEIGHT, Math.min(100, (double) elapsed / WINDOW_NANOS));
		this.perSecond += weight * (current - this.perSecond);
		this.finishedAtStart = total;
		this.slowAtStart = slowTotal;
		this.slowNanosAtStart = slowNanosTotal;
	}

	private int finishedIn(long nanos, double perSecond, int free) {
		int most = Math.min(this.settings.prefetch(), Integer.MAX_VALUE - free);
		return (int) Math.min(most, Math.round(perSecond * nanos / 1e9));
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
