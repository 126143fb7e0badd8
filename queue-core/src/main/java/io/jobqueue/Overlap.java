package io.jobqueue;

/**
 * What becomes of a tick of a schedule while the job of an earlier one is live: ready,
 * running, or waiting for its next attempt.
 */
public enum Overlap {

	/** It is skipped and counted: there is never more than one live job. */
	SKIP,

	/** It has a job like any other. Two may run at once. */
	ALLOW

}
