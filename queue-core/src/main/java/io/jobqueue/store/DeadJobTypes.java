package io.jobqueue.store;

import org.jspecify.annotations.Nullable;

/**
 * The types of the jobs that tell of dead ones.
 */
public final class DeadJobTypes {

	/** What tells of the dead jobs of every type that has nothing of its own. */
	public static final String EVERY_TYPE = "*";

	/** What no handler of an application's jobs may be called. */
	public static final String RESERVED = "jobqueue.";

	/**
	 * How long a type may be whose dead jobs are told of: 64 less than what comes before
	 * it.
	 */
	public static final int LONGEST = 50;

	private static final String OF_EVERY_TYPE = RESERVED + "dead";

	private static final String PREFIX = OF_EVERY_TYPE + ".";

	private DeadJobTypes() {
	}

	/**
	 * The type of the jobs that tell of dead ones.
	 * @param type the dead ones' type, or {@link #EVERY_TYPE}
	 * @return the type
	 */
	public static String telling(String type) {
		return type.equals(EVERY_TYPE) ? OF_EVERY_TYPE : PREFIX + type;
	}

	/**
	 * The type of the dead jobs that jobs of a type tell of.
	 * @param type the type of those
	 * @return the dead ones' type, or {@link #EVERY_TYPE}; null if they tell of none
	 */
	public static @Nullable String toldOf(String type) {
		if (type.equals(OF_EVERY_TYPE)) {
			return EVERY_TYPE;
		}
		return type.startsWith(PREFIX) ? type.substring(PREFIX.length()) : null;
	}

}
