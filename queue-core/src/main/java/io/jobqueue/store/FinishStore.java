package io.jobqueue.store;

import java.util.Collection;
import java.util.Set;

/**
 * Ends claims: the way out of RUNNING for workers and for maintenance.
 */
public interface FinishStore {

	/**
	 * Ends claims, all in one transaction, with the usual waits for locks.
	 * @param finishes how each ends
	 * @return the claims for which nothing was written
	 * @see #finish(Collection, LockWaits)
	 */
	default Set<Claim> finish(Collection<? extends Finish> finishes) {
		return finish(finishes, LockWaits.USUAL);
	}

	/**
	 * Ends claims, all in one transaction. Jobs that another transaction has locked are
	 * passed over, so that one of them does not hold up the others.
	 * @param finishes how each ends
	 * @param waits how long to wait for other locks
	 * @return the claims for which nothing was written, because they were not current any
	 * more, or locked
	 */
	Set<Claim> finish(Collection<? extends Finish> finishes, LockWaits waits);

}
