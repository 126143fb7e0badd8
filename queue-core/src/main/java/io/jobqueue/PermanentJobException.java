package io.jobqueue;

import org.jspecify.annotations.Nullable;

/**
 * Thrown by a handler when a retry cannot help: the job is dead at once, whatever
 * attempts it has left.
 */
public class PermanentJobException extends RuntimeException {

	/**
	 * Creates an exception whose message is kept with the dead job.
	 * @param message why the job cannot succeed
	 */
	public PermanentJobException(@Nullable String message) {
		super(message);
	}

	/**
	 * Creates an exception whose message and cause are kept with the dead job.
	 * @param message why the job cannot succeed
	 * @param cause what went wrong
	 */
	public PermanentJobException(@Nullable String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
