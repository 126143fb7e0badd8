package io.jobqueue.store.jdbc.finish;

import java.util.Map;

import io.jobqueue.store.ClaimNext;
import io.jobqueue.store.Finished;

/**
 * Sees to the order keys of acked jobs in the transaction in which they are acked.
 */
@FunctionalInterface
public interface KeysOfAcked {

	/**
	 * Sees to keys. What it cannot see to at once it leaves to others, by a change.
	 * @param acked the keys by the jobs that were acked
	 * @param next whether to claim the next jobs
	 * @return what has become of it
	 */
	Finished.Keys settle(Map<Long, String> acked, ClaimNext next);

}
