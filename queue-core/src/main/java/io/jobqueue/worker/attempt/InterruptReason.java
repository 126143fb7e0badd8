package io.jobqueue.worker.attempt;

/**
 * Why an attempt was interrupted.
 */
public enum InterruptReason {

	/** It ran longer than it may. */
	TIMEOUT,

	/**
	 * Its claim is no longer current: the job was cancelled, or rescued by others.
	 */
	CANCELLED,

	/** The worker could not prolong its session. */
	SESSION_LOST,

	/** The grace period of the shutdown was over. */
	SHUTDOWN

}
