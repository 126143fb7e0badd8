package io.jobqueue;

/**
 * What becomes of the ticks of a schedule that were missed because no node was there to
 * enqueue their jobs. A tick counts as missed as soon as the next one is due too.
 */
public enum CatchUp {

	/** One job for all of them together, for the latest. The others are counted. */
	ONCE,

	/**
	 * None, unless the latest is not older than a minute. They are counted.
	 */
	SKIP,

	/**
	 * A job for each, up to a limit: the latest ones. The others are counted.
	 */
	ALL

}
