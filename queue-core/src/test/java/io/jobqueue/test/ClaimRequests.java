package io.jobqueue.test;

import java.util.List;
import java.util.Set;

import io.jobqueue.poison.Load;
import io.jobqueue.store.ClaimRequest;
import io.jobqueue.store.Deadlines;
import io.jobqueue.store.ReadyRange;

/**
 * Claims for tests that need no more of a worker than its session.
 */
public final class ClaimRequests {

	private ClaimRequests() {
	}

	/**
	 * A request of a worker that holds nothing, for jobs of every type.
	 */
	public static ClaimRequest any(long session, List<ReadyRange> ranges, int limit, Deadlines deadlines) {
		return new ClaimRequest(session, ranges, limit, Set.of(), deadlines, Load.empty(1));
	}

}
