package io.jobqueue.spring.worker;

import io.jobqueue.spring.CannotStartException;

/**
 * A worker's settings do not suit its surroundings.
 */
public class UnsuitableWorkerException extends CannotStartException {

	/**
	 * Creates an exception.
	 * @param description what is wrong
	 * @param action what to do about it
	 */
	public UnsuitableWorkerException(String description, String action) {
		super(description, action);
	}

}
