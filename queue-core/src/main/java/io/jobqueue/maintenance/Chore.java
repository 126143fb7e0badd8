package io.jobqueue.maintenance;

import java.time.Duration;

/**
 * One part of the maintenance.
 */
public interface Chore {

	/**
	 * What it is called in the log.
	 * @return a verb of the glossary
	 */
	String name();

	/**
	 * How long to wait between rounds.
	 * @return the interval
	 */
	Duration interval();

	/**
	 * Does one round.
	 * @return how many jobs it changed
	 */
	int runOnce();

}
