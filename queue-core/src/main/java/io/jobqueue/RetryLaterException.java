package io.jobqueue;

import java.time.Duration;

import io.jobqueue.text.Durations;

import org.jspecify.annotations.Nullable;

/**
 * Thrown by a handler to choose how long the job waits before its next attempt, as when a
 * remote system said so. The attempt counts: after the last one the job is dead.
 */
public class RetryLaterException extends RuntimeException {

	private final Duration delay;

	/**
	 * Creates an exception that asks for a retry after the given delay.
	 * @param delay how long to wait, not negative; no jitter is added
	 */
	public RetryLaterException(Duration delay) {
		this(delay, "The handler asked to be run again in " + Durations.text(delay), null);
	}

	/**
	 * Creates an exception that asks for a retry after the given delay and says why.
	 * @param delay how long to wait, not negative; no jitter is added
	 * @param message what is kept as the attempt's error
	 * @param cause what went wrong, or null
	 */
	public RetryLaterException(Duration delay, @Nullable String message, @Nullable Throwable cause) {
		super(message, cause);
		if (delay.isNegative()) {
			throw new IllegalArgumentException("delay must not be negative, but is " + delay);
		}
		this.delay = delay;
	}

	/**
	 * How long the job waits before its next attempt.
	 * @return the delay, not negative
	 */
	public Duration delay() {
		return this.delay;
	}

}
