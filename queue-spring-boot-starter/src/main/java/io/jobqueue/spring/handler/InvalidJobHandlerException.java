package io.jobqueue.spring.handler;

import io.jobqueue.spring.CannotStartException;

/**
 * A method that is marked as a job handler cannot be one.
 */
public class InvalidJobHandlerException extends CannotStartException {

	/**
	 * Creates an exception.
	 * @param description what is wrong
	 * @param action what to do about it
	 */
	public InvalidJobHandlerException(String description, String action) {
		super(description, action);
	}

}
