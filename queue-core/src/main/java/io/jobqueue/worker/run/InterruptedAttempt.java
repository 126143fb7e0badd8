package io.jobqueue.worker.run;

import io.jobqueue.text.Durations;
import io.jobqueue.worker.attempt.Attempt;
import io.jobqueue.worker.attempt.InterruptReason;

import org.jspecify.annotations.Nullable;

/**
 * The failure of an attempt that was interrupted.
 */
final class InterruptedAttempt extends Exception {

	private final InterruptReason reason;

	InterruptedAttempt(InterruptReason reason, Attempt attempt, @Nullable Throwable cause) {
		super(message(reason, attempt), cause);
		this.reason = reason;
	}

	String word() {
		return (this.reason == InterruptReason.TIMEOUT) ? "timeout" : "shutdown";
	}

	private static String message(InterruptReason reason, Attempt attempt) {
		return (reason == InterruptReason.TIMEOUT)
				? "The attempt ran longer than its timeout of "
						+ Durations.text(attempt.handler().timeoutOf(attempt.job().timeout())) + " and was interrupted"
				: "The worker was shut down, and the attempt did not end within the grace period";
	}

}
