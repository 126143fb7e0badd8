package io.jobqueue.spring.payload;

import io.jobqueue.PermanentJobException;

/**
 * A payload that a handler cannot take. The handler has not run by then, so there is no
 * stack trace: it would show the queue's own code in the log and in the dead job.
 */
public final class UnreadablePayload {

	private UnreadablePayload() {
	}

	/**
	 * Makes the exception.
	 * @param reason why the payload cannot be read, without the payload
	 */
	public static PermanentJobException because(String reason) {
		PermanentJobException unreadable = new PermanentJobException(reason);
		unreadable.setStackTrace(new StackTraceElement[0]);
		return unreadable;
	}

}
