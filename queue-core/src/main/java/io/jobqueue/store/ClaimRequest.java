package io.jobqueue.store;

import java.util.List;
import java.util.Set;

/**
 * What a worker wants to claim.
 *
 * @param sessionId the worker's session
 * @param ranges the ranges to claim from, the most urgent first; those of one priority
 * share what there is room for. If they are of suspect jobs, the worker must hold
 * nothing, and claim nothing more until it has finished these
 * @param limit how many jobs at most
 * @param types the types to claim; empty for all
 * @param deadlines how long each job may stay claimed before rescue takes it
 */
public record ClaimRequest(long sessionId, List<ReadyRange> ranges, int limit, Set<String> types, Deadlines deadlines) {

	/**
	 * A request for jobs of every type.
	 * @param sessionId the worker's session
	 * @param ranges the ranges to claim from, the most urgent first
	 * @param limit how many jobs at most
	 * @param deadlines how long each job may stay claimed before rescue takes it
	 */
	public ClaimRequest(long sessionId, List<ReadyRange> ranges, int limit, Deadlines deadlines) {
		this(sessionId, ranges, limit, Set.of(), deadlines);
	}

}
