package io.jobqueue.worker.run;

/**
 * Why nothing came of a run that seemed to succeed; told to observers only.
 */
final class StaleClaimException extends RuntimeException {

	StaleClaimException() {
		super("The claim was no longer current, so nothing came of this run", null, false, false);
	}

}
