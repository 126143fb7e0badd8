package io.jobqueue.spring;

/**
 * The job queue keeps an application from starting, for a reason that its developers can
 * do something about.
 */
public abstract class CannotStartException extends RuntimeException {

	private final String action;

	/**
	 * Creates an exception.
	 * @param description what is wrong
	 * @param action what to do about it
	 */
	protected CannotStartException(String description, String action) {
		super(description);
		this.action = action;
	}

	/**
	 * Creates an exception.
	 * @param description what is wrong
	 * @param action what to do about it
	 * @param cause what happened
	 */
	protected CannotStartException(String description, String action, Throwable cause) {
		super(description, cause);
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
