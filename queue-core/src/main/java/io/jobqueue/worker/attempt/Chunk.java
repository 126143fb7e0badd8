package io.jobqueue.worker.attempt;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import io.jobqueue.poison.Suspicion;

/**
 * The attempts that run in one call of their handler, on one thread: one of most
 * handlers, and any number of a batch handler.
 */
public final class Chunk {

	private final List<Attempt> attempts;

	private final boolean first;

	private final AtomicBoolean interrupted = new AtomicBoolean();

	private final AtomicBoolean stuck = new AtomicBoolean();

	/**
	 * Creates a chunk.
	 * @param attempts the attempts
	 * @param first whether this is their first call; where one fails, others follow
	 */
	public Chunk(List<Attempt> attempts, boolean first) {
		this.attempts = List.copyOf(attempts);
		this.first = first;
	}

	/**
	 * Whether an attempt may run in one call with others. A suspect might bring down what
	 * runs beside it, and a job that is not claimed has a transaction of its own.
	 */
	public static boolean isFor(Attempt attempt) {
		return attempt.handler().chunks().size() > 1 && attempt.job().suspicion().degree() == Suspicion.Degree.NONE
				&& !attempt.job().isRowLock();
	}

	/**
	 * The share of a slot that an attempt takes, or will if its chunk is full.
	 */
	public static double share(Attempt attempt) {
		if (!isFor(attempt)) {
			return 1;
		}
		return 1.0 / (attempt.isWaiting() ? attempt.handler().chunks().size() : attempt.all().attempts().size());
	}

	/**
	 * Begins to finish all of them.
	 * @return whether they were interrupted. A job that was cancelled was not: its claim
	 * is stale
	 */
	public boolean finish() {
		boolean any = false;
		for (Attempt attempt : this.attempts) {
			InterruptReason reason = attempt.finish();
			any |= reason != null && reason != InterruptReason.CANCELLED;
		}
		return any;
	}

	public List<Attempt> attempts() {
		return this.attempts;
	}

	public boolean isFirst() {
		return this.first;
	}

	/**
	 * Whether it has more than one attempt: then none of them is worth an interrupt
	 * alone.
	 */
	boolean isShared() {
		return this.attempts.size() > 1;
	}

	/**
	 * Whether an attempt is the one for which is said what concerns all of them.
	 */
	public boolean isLedBy(Attempt attempt) {
		return this.attempts.get(0) == attempt;
	}

	/**
	 * The thread is interrupted once, however many of the attempts are.
	 * @return whether this call is the first
	 */
	boolean interruptOnce() {
		return this.interrupted.compareAndSet(false, true);
	}

	/**
	 * The slot is lost once, however many of the attempts are given up.
	 * @return whether this call is the first
	 */
	boolean stuckOnce() {
		return this.stuck.compareAndSet(false, true);
	}

	/**
	 * Whether some of the attempts were given up.
	 */
	public boolean isStuck() {
		return this.stuck.get();
	}

}
