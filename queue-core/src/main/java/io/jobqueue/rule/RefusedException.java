package io.jobqueue.rule;

/**
 * A method cannot be what it is marked as. The message goes on after the method's name:
 * "is private".
 */
public final class RefusedException extends IllegalArgumentException {

	private final String action;

	/**
	 * Creates an exception.
	 * @param reason what is wrong with the method, without a subject and a full stop
	 * @param action what to do about it, in sentences
	 */
	public RefusedException(String reason, String action) {
		super(reason);
		this.action = action;
	}

	private RefusedException(RuntimeException problem) {
		super("is not valid: " + problem.getMessage(), problem);
		this.action = "Correct the method or its annotation, or a property if the annotation names one.";
	}

	/**
	 * What a value of the annotation, or a rule, has refused.
	 * @param problem what was thrown
	 * @return the same, if it is a refusal; else one that says what was wrong
	 */
	public static RefusedException of(RuntimeException problem) {
		return (problem instanceof RefusedException refused) ? refused : new RefusedException(problem);
	}

	/**
	 * What is wrong with the method.
	 */
	public String reason() {
		return String.valueOf(getMessage());
	}

	/**
	 * What to do about it.
	 */
	public String action() {
		return this.action;
	}

}
