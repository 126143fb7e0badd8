package io.jobqueue.worker.attempt;

import java.util.Collection;

/**
 * How many of the attempts that are held wait for a slot or keep one.
 *
 * @param toRun all of them: not those that have ended or were given back
 * @param overdue those that keep their slot because their transaction does not end
 */
public record AtSlots(int toRun, int overdue) {

	/**
	 * Counts in one pass, and without a stream: the poll loop does so whenever it is
	 * woken, which is at each end of a transactional job.
	 */
	static AtSlots of(Collection<Attempt> attempts) {
		int toRun = 0;
		int overdue = 0;
		for (Attempt attempt : attempts) {
			toRun += isToRun(attempt) ? 1 : 0;
			overdue += attempt.isOverdue() ? 1 : 0;
		}
		return new AtSlots(toRun, overdue);
	}

	/**
	 * Whether an attempt waits for a slot or keeps one.
	 */
	public static boolean isToRun(Attempt attempt) {
		return attempt.isWaiting() || attempt.isActive();
	}

}
