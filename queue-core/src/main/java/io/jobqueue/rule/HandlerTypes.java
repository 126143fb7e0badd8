package io.jobqueue.rule;

import io.jobqueue.NewJob;
import io.jobqueue.store.DeadJobTypes;

/**
 * The types of the jobs that methods run.
 */
public final class HandlerTypes {

	/** What to do about two handlers of one type. */
	public static final String INSTEAD_OF_TWICE = "Remove one of them, or give it another type.";

	private HandlerTypes() {
	}

	/**
	 * Says that a type has two handlers.
	 * @param type the type
	 * @param one the first method
	 * @param other the second one
	 * @return the sentence, without a full stop
	 */
	public static String twice(String type, Object one, Object other) {
		return "Two methods are handlers of the job type '" + type + "': " + one + " and " + other;
	}

	/**
	 * The type of the jobs that a method runs.
	 * @param value what its annotation says
	 * @param ofDeadJobs whether it is called for dead jobs; then the annotation says
	 * which
	 * @throws IllegalArgumentException if that is not a type, or one of the queue's own
	 */
	public static String of(String value, boolean ofDeadJobs) {
		if (!ofDeadJobs) {
			NewJob.of(value);
			return notReserved(value);
		}
		if (!value.equals(DeadJobTypes.EVERY_TYPE)) {
			NewJob.of(value);
		}
		String type = DeadJobTypes.telling(notReserved(value));
		if (value.length() > DeadJobTypes.LONGEST) {
			throw new IllegalArgumentException("the type '" + value + "' has more than " + DeadJobTypes.LONGEST
					+ " characters, which is too long for one whose dead jobs have a handler");
		}
		return type;
	}

	private static String notReserved(String type) {
		if (type.startsWith(DeadJobTypes.RESERVED)) {
			throw new IllegalArgumentException(
					"types that begin with " + DeadJobTypes.RESERVED + " are the job queue's own, as '" + type + "'");
		}
		return type;
	}

}
