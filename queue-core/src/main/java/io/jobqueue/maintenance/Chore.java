package io.jobqueue.maintenance;

import java.time.Duration;

/**
 * One part of the maintenance.
 */
public interface Chore {

	/** What a round returns that has found that it is not due. */
	int NOT_DUE = -1;

	/**
	 * What it is called in the log.
	 * @return what it does, in a word or two
	 */
	String name();

	/**
	 * How long to wait between rounds.
	 * @return the interval
	 */
	Duration interval();

	/**
	 * Whether there is a round at once when maintenance starts.
	 * @return false to wait for the interval first
	 */
	default boolean atStart() {
		return false;
	}

	/**
	 * Does one round.
	 * @return how many jobs it changed; {@link #NOT_DUE} if it did nothing, so that
	 * whether it works is as before
	 */
	int runOnce();

}
