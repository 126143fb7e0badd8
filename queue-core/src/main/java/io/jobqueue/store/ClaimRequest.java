package io.jobqueue.store;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;

/**
 * What a worker wants to claim.
 *
 * @param sessionId the worker's session
 * @param lines the lines to claim from, most urgent first. If they are of suspect jobs,
 * the worker must hold nothing, and claim nothing more until it has finished these
 * @param limit how many jobs at most
 * @param leftToOthers types to pass over
 * @param deadline how long a job may stay claimed before rescue takes it, from its type
 * and its own timeout (zero if it has none)
 */
public record ClaimRequest(long sessionId, List<Line> lines, int limit, Set<String> leftToOthers,
		BiFunction<String, Duration, Duration> deadline) {

	public ClaimRequest(long sessionId, List<Line> lines, int limit, BiFunction<String, Duration, Duration> deadline) {
		this(sessionId, lines, limit, Set.of(), deadline);
	}

}
