package io.jobqueue.store.jdbc;

import java.util.List;

import io.jobqueue.store.Finish;

/**
 * What becomes of jobs whose claims end in one way.
 *
 * @param <T> the way
 */
interface Ending<T extends Finish> {

	/**
	 * The way in which the claims end.
	 * @return its type
	 */
	Class<T> type();

	/**
	 * Ends claims, in the transaction that has locked their jobs.
	 * @param finishes the claims, all of them current; at least one
	 * @param locked what is known of the locked jobs, these and others
	 */
	void end(List<T> finishes, LockClaims.Locked locked);

}
