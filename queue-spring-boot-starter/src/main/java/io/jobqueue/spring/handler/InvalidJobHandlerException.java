package io.jobqueue.spring.handler;

/**
 * A method that is marked as a job handler cannot be one.
 */
public class InvalidJobHandlerException extends RuntimeException {

	private final String action;

	/**
	 * Creates an exception.
	 * @param description what is wrong
	 * @param action what to do about it
	 */
	public InvalidJobHandlerException(String description, String action) {
		super(description);
		this.action = action;
	}

	/**
	 * What to do about it.
	 * @return an advice
	 */
	public String action() {
		return this.action;
	}

}
