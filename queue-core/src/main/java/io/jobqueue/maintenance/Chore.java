package io.jobqueue.maintenance;

import java.time.Duration;

/**
 * One part of the maintenance.
 */
public interface Chore {

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
	 * @return how many jobs it changed
	 */
	int runOnce();

}
