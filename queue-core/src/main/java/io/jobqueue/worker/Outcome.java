package io.jobqueue.worker;

/**
 * How an attempt ended, once that is committed.
 */
public enum Outcome {

	/** The job succeeded. */
	SUCCEEDED,

	/** It failed and will be run again. */
	RETRIED,

	/** It failed and is dead. */
	DEAD,

	/** It was given back, the attempt not counted. */
	RELEASED,

	/** Its claim was no longer current, so the result was discarded. */
	STALE

}
