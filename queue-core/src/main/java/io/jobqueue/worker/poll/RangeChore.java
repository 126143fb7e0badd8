package io.jobqueue.worker.poll;

import java.time.Duration;
import java.util.List;

import io.jobqueue.store.ReadyRange;

/**
 * Something that a poll round does about the ready ranges after it has claimed from them.
 */
@FunctionalInterface
public interface RangeChore {

	/** Any time will do. */
	Duration WHENEVER = Duration.ofDays(1);

	/**
	 * Does it, as far as it is due.
	 * @param ranges the ranges that the worker serves
	 * @param claim the claim before
	 * @return how long until the next round, at most; zero if there may be jobs to claim
	 * now
	 */
	Duration run(List<ReadyRange> ranges, LastClaim claim);

	/**
	 * The claim of a round.
	 *
	 * @param took how long it took
	 * @param found whether it has claimed jobs
	 */
	record LastClaim(Duration took, boolean found) {

		/** There was none. */
		static final LastClaim NONE = new LastClaim(Duration.ZERO, false);

	}

}
