package io.jobqueue;

/**
 * How a claim takes jobs, such that two workers never take the same one. Workers with
 * different strategies may share a database. Set by {@code jobqueue.worker.claim}.
 */
public enum ClaimStrategy {

	/**
	 * {@link #SKIP_LOCKED} where the database is seen to pass over locked rows, else
	 * {@link #COMPARE_AND_SET}.
	 */
	AUTO,

	/**
	 * {@code SELECT … FOR UPDATE SKIP LOCKED}, then an update of the rows that are
	 * locked. Never waits for another transaction.
	 */
	SKIP_LOCKED,

	/**
	 * {@code UPDATE … ORDER BY … LIMIT}, then a read of the rows that it changed. Waits
	 * for other claims, and for jobs whose enqueue is not committed, for a second at
	 * most. For MySQL and MariaDB.
	 */
	UPDATE_LIMIT,

	/**
	 * A read without locks, then an update that changes only the rows that are still as
	 * they were read. Waits for a commit of another claim of the same jobs, for a second
	 * at most.
	 */
	COMPARE_AND_SET

}
