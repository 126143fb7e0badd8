package io.jobqueue.worker.attempt;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

/**
 * Whether a worker may claim the next jobs of order keys together with the ends of those
 * before. It may if the poll loop has claimed all that is due, and there is room for
 * more: else those jobs would pass over others. And it may not while jobs that are in the
 * table only are given back: one that is claimed meanwhile would be among them.
 */
public final class ClaimAhead {

	/** The poll loop looks again sooner than that, if it can. */
	private static final long VALID_NANOS = Duration.ofSeconds(5).toNanos();

	private final ReentrantLock claims = new ReentrantLock(true);

	private final LongSupplier nanoTime;

	private volatile @Nullable Idle idle;

	private volatile boolean stopped;

	/**
	 * Begins without leave to claim.
	 * @param nanoTime the monotonic clock
	 */
	public ClaimAhead(LongSupplier nanoTime) {
		this.nanoTime = nanoTime;
	}

	/**
	 * Notes that the poll loop has claimed all that is due, and has room for more.
	 * @param mostToRun how many attempts may run or wait for a slot
	 */
	public void nothingIsDue(int mostToRun) {
		this.idle = new Idle(this.nanoTime.getAsLong(), mostToRun);
	}

	/**
	 * Notes that others may be due.
	 */
	public void othersMayBeDue() {
		this.idle = null;
	}

	/**
	 * Lets nothing be claimed any more.
	 */
	public void stop() {
		this.stopped = true;
	}

	public boolean isStopped() {
		return this.stopped;
	}

	/**
	 * Whether next jobs may be claimed, as far as that is known.
	 */
	public boolean isAllowed() {
		return mostToRun() > 0;
	}

	/**
	 * How many attempts may run or wait for a slot; 0 if nothing may be claimed.
	 */
	public int mostToRun() {
		Idle noted = this.idle;
		boolean allowed = noted != null && !this.stopped && this.nanoTime.getAsLong() - noted.atNanos() < VALID_NANOS;
		return (allowed && noted != null) ? noted.mostToRun() : 0;
	}

	/**
	 * Begins to claim. Whoever does so calls {@link #end} when the worker holds what was
	 * claimed.
	 * @return whether it may; if not, there is nothing to end
	 */
	public boolean begin() {
		// With a time, though none: else it would come before somebody who waits.
		return isAllowed() && tryLock(Duration.ZERO);
	}

	public void end() {
		this.claims.unlock();
	}

	/**
	 * Runs something while nothing is claimed in this way.
	 * @param work what to run
	 * @param patience how long to wait for a claim that is under way
	 * @return false if it was not run
	 */
	public boolean whileNoneIsClaimed(Runnable work, Duration patience) {
		if (!tryLock(patience)) {
			return false;
		}
		try {
			work.run();
			return true;
		}
		finally {
			end();
		}
	}

	private boolean tryLock(Duration patience) {
		try {
			return this.claims.tryLock(patience.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
	}

	/**
	 * What the poll loop knew.
	 *
	 * @param atNanos when
	 * @param mostToRun how many attempts may run or wait for a slot
	 */
	private record Idle(long atNanos, int mostToRun) {

	}

}
