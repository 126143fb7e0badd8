package io.jobqueue.worker.run;

import io.jobqueue.worker.attempt.Attempt.Reason;
import io.jobqueue.worker.attempt.Attempt;

import org.jspecify.annotations.Nullable;

/**
 * The failure of an attempt that was interrupted.
 */
final class InterruptedAttempt extends Exception {

	private final Reason reason;

	InterruptedAttempt(Reason reason, Attempt attempt, @Nullable Throwable cause) {
		super(message(reason, attempt), cause);
		this.reason = reason;
	}

	String word() {
		return (this.reason == Reason.TIMEOUT) ? "timeout" : "shutdown";
	}

	private static String message(Reason reason, Attempt attempt) {
		return (reason == Reason.TIMEOUT)
				? "The attempt ran longer than its timeout of " + attempt.handler().timeoutOf(attempt.job().timeout())
						+ " and was interrupted"
				: "The worker was shut down, and the attempt did not end within the grace period";
	}

}
