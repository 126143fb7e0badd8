package io.jobqueue.worker.attempt;

/**
 * Ends a thread's work on an attempt whose result was reported without it.
 */
public final class AbandonedException extends RuntimeException {

	AbandonedException() {
		super("The attempt was given up because it did not react to its interrupt");
	}

}
