package io.jobqueue.store;

import java.util.List;

/**
 * Is told what the application did with the queue on this node.
 */
public interface QueueListener {

	/**
	 * Jobs were enqueued, and that is committed.
	 * @param jobs the jobs, without those whose unique key was taken; not empty
	 */
	default void enqueued(List<EnqueuedJob> jobs) {
	}

	/**
	 * Jobs that were there before were redriven or rescheduled, and may be due now.
	 */
	default void becameReady() {
	}

	/**
	 * A job was cancelled.
	 * @param id its id
	 */
	default void cancelled(long id) {
	}

	/**
	 * A queue was paused or resumed.
	 * @param queue its name
	 * @param paused which of the two
	 */
	default void paused(String queue, boolean paused) {
	}

	/**
	 * An operation on many jobs was begun.
	 */
	default void operationBegun() {
	}

	/**
	 * A schedule was saved or resumed.
	 */
	default void schedulesChanged() {
	}

}
