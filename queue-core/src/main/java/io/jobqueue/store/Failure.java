package io.jobqueue.store;

/**
 * Why an attempt failed, as it is stored.
 *
 * @param attempt the attempt's number
 * @param type the class of the exception, or a word of the queue's own
 * @param message what it said
 * @param stackTrace its stack trace; may be empty
 */
public record Failure(int attempt, String type, String message, String stackTrace) {

	private static final int MAX_TYPE = 255;

	private static final int MAX_MESSAGE = 2000;

	private static final int MAX_STACK_TRACE = 16_000;

	public Failure {
		type = Texts.shortened(type, MAX_TYPE);
		message = Texts.shortened(message, MAX_MESSAGE);
		stackTrace = Texts.shortened(stackTrace, MAX_STACK_TRACE);
	}

	public static Failure of(int attempt, String type, String message) {
		return new Failure(attempt, type, message, "");
	}

	/**
	 * Whether the stack trace is not all that there was.
	 */
	public boolean isShortened() {
		return this.stackTrace.endsWith(Texts.MORE);
	}

}
