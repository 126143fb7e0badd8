package io.jobqueue.worker.attempt;

import java.util.Collection;

/**
 * How many of the attempts that are held wait for a slot or keep one.
 *
 * @param toRun all of them: not those that have ended or were given back. Those of batch
 * handlers count by the share of a slot that they take
 * @param overdue those that keep their slot because their transaction does not end
 * @param spared by how many fewer all of them count, since those of batch handlers share
 * slots
 */
public record AtSlots(double toRun, int overdue, double spared) {

	/** Shares do not add up exactly. */
	public static final double ROUNDING = 1e-6;

	/**
	 * Counts in one pass, and without a stream: the poll loop does so whenever it is
	 * woken, which is at each end of a transactional job.
	 */
	static AtSlots of(Collection<Attempt> attempts) {
		double toRun = 0;
		int overdue = 0;
		int inChunks = 0;
		double shares = 0;
		for (Attempt attempt : attempts) {
			double share = Chunk.share(attempt);
			toRun += isToRun(attempt) ? share : 0;
			overdue += attempt.isOverdue() && attempt.chunk().isLedBy(attempt) ? 1 : 0;
			inChunks += (share < 1) ? 1 : 0;
			shares += (share < 1) ? share : 0;
		}
		return new AtSlots(toRun, overdue, inChunks - shares);
	}

	/**
	 * How many slots shares make up.
	 */
	public static int rounded(double shares) {
		return (int) Math.ceil(shares - ROUNDING);
	}

	/**
	 * Whether an attempt waits for a slot or keeps one.
	 */
	public static boolean isToRun(Attempt attempt) {
		return attempt.isWaiting() || attempt.isActive();
	}

}
