package io.jobqueue.spring.worker;

/**
 * A worker's settings do not suit its surroundings.
 */
public class UnsuitableWorkerException extends RuntimeException {

	private final String action;

	/**
	 * Creates an exception.
	 * @param description what does not fit
	 * @param action what to do about it
	 */
	public UnsuitableWorkerException(String description, String action) {
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
