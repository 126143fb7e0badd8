package io.jobqueue.store;

import java.util.Set;
import java.util.function.Predicate;

/**
 * What is to become of the next jobs of order keys when those before them are acked: a
 * worker that has nothing else to do claims them in the same transaction.
 *
 * @param sessionId the worker's session
 * @param types the types that it runs; empty if none is to be claimed, so that the next
 * jobs are ready and anybody may claim them
 * @param queues tells of a queue whether its jobs may be claimed so
 * @param deadlines how long each job may stay claimed before rescue takes it
 * @param most how many jobs to claim at most; the others are ready
 */
public record ClaimNext(long sessionId, Set<String> types, Predicate<String> queues, Deadlines deadlines, int most) {

	/** None is to be claimed. */
	public static final ClaimNext NONE = new ClaimNext(0, Set.of(), (queue) -> false, Deadlines.always(Deadlines.NEVER),
			0);

	/** The same, after some were claimed. */
	public ClaimNext after(int claimed) {
		return new ClaimNext(this.sessionId, this.types, this.queues, this.deadlines, this.most - claimed);
	}

	/** Whether any is to be claimed. */
	public boolean isToClaim() {
		return !this.types.isEmpty() && this.most > 0;
	}

}
