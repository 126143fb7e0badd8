package io.jobqueue.spring.schema;

import io.jobqueue.spring.CannotStartException;

import org.springframework.core.NestedExceptionUtils;

/**
 * The queue's user may not do what the queue has to.
 */
public class MissingRightsException extends CannotStartException {

	/**
	 * Creates an exception.
	 * @param cause what the database said
	 */
	public MissingRightsException(Exception cause) {
		super("The job queue cannot write to its tables: "
				+ NestedExceptionUtils.getMostSpecificCause(cause).getMessage(),
				"Grant SELECT, INSERT, UPDATE and DELETE on the tables jobqueue_… to the user of the queue's DataSource.",
				cause);
	}

}
