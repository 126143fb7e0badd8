package io.jobqueue.store;

import java.time.Duration;

/**
 * Wakes the workers of other nodes that wait for jobs. A hint only: a ring may be lost,
 * and the workers poll all the same. One thread waits and another rings, each on a
 * connection of its own.
 */
public interface Doorbell {

	/**
	 * Waits for a ring.
	 * @param most how long at most
	 * @return whether there was one
	 * @throws org.springframework.dao.DataAccessException if the database cannot be
	 * reached or does not allow it
	 */
	boolean await(Duration most);

	/**
	 * Gives up the connection of the thread that waits, which calls this.
	 */
	void endWaiting();

	/**
	 * Rings at every other node that waits now.
	 * @throws org.springframework.dao.DataAccessException if the database cannot be
	 * reached or does not allow it
	 */
	void ring();

	/**
	 * Gives up the connection of the thread that rings, which calls this; it may ring
	 * again.
	 */
	void endRinging();

}
