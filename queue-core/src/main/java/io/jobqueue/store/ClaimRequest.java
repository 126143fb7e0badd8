package io.jobqueue.store;

import java.util.List;
import java.util.Set;

import io.jobqueue.poison.Load;

/**
 * What a worker wants to claim.
 *
 * @param sessionId the worker's session
 * @param ranges the ranges to claim from, the most urgent first; those of one priority
 * share the room
 * @param limit how many jobs at most
 * @param types the types to claim; empty for all
 * @param deadlines how long each job may stay claimed before rescue takes it
 * @param load what the worker holds
 * @param rowLocked the jobs of row-lock queues among those, which still look ready
 * @param shares how queues share what there is room for
 * @param limits is told of limits of which nothing is left
 */
public record ClaimRequest(long sessionId, List<ReadyRange> ranges, int limit, Set<String> types, Deadlines deadlines,
		Load load, Set<Long> rowLocked, QueueShares shares, LimitPauses limits) {

	/**
	 * What is wanted beside jobs that were claimed already.
	 * @param claimed those jobs
	 */
	public ClaimRequest beside(List<ClaimedJob> claimed) {
		return new ClaimRequest(this.sessionId, this.ranges, this.limit - claimed.size(), this.types, this.deadlines,
				this.load, this.rowLocked, this.shares.beside(claimed), this.limits);
	}

	/**
	 * A request of a worker that runs no jobs of row-lock queues.
	 */
	public ClaimRequest(long sessionId, List<ReadyRange> ranges, int limit, Set<String> types, Deadlines deadlines,
			Load load) {
		this(sessionId, ranges, limit, types, deadlines, load, Set.of(), QueueShares.EQUAL,
				new LimitPauses(System::nanoTime));
	}

}
