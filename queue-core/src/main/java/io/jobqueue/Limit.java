package io.jobqueue;

import java.time.Duration;

/**
 * How many jobs of the types that {@linkplain JobHandler#limit() name it} may run at
 * once, on all nodes together, how many may start in a time, or both. It holds for each
 * {@linkplain NewJob#limitKey(String) limit key} apart, and for all jobs without a key
 * together.
 *
 * @param name the name, matching {@code [A-Za-z0-9._-]{1,64}}
 * @param running how many may run at once; 0 for any number
 * @param starts how many may start within {@code per}; 0 for any number. A retry is a
 * start too
 * @param per the time, in whole milliseconds, from 1 ms to 31 days
 * @param burst how many of {@code starts} may start at one moment, after a time in which
 * none did; from 1 to {@code starts}
 */
public record Limit(String name, int running, int starts, Duration per, int burst) {

	/** A number that no queue reaches. */
	private static final int MOST = 1_000_000;

	private static final Duration LONGEST = Duration.ofDays(31);

	/**
	 * Checks the rule.
	 * @throws IllegalArgumentException if a number is out of its range
	 */
	public Limit {
		JobNames.checked("limit", name);
		checked(name, "running", running, 0, MOST);
		checked(name, "starts", starts, 0, MOST);
		if (per.toMillis() < 1 || per.compareTo(LONGEST) > 0) {
			throw new IllegalArgumentException(
					"The limit '" + name + "' must have a 'per' from 1 ms to 31 days, but has " + per);
		}
		checked(name, "burst", burst, 1, Math.max(1, starts));
	}

	private static void checked(String name, String what, int value, int least, int most) {
		if (value < least || value > most) {
			throw new IllegalArgumentException("The limit '" + name + "' must have '" + what + "' from " + least
					+ " to " + most + ", but has " + value);
		}
	}

	/**
	 * A limit that allows everything, to begin with.
	 * @param name the name, matching {@code [A-Za-z0-9._-]{1,64}}
	 * @return the limit
	 * @throws IllegalArgumentException if the name breaks the rule
	 */
	public static Limit of(String name) {
		return new Limit(name, 0, 0, Duration.ofSeconds(1), 1);
	}

	/**
	 * Limits how many run at once.
	 * @param most how many; 0 for any number
	 * @return the limit with that
	 * @throws IllegalArgumentException if it is negative or more than a million
	 */
	public Limit running(int most) {
		return new Limit(this.name, most, this.starts, this.per, this.burst);
	}

	/**
	 * Limits how many start in a time; a tenth of them, at least one, may start at one
	 * moment.
	 * @param most how many; 0 for any number
	 * @param time the time, from 1 ms to 31 days
	 * @return the limit with that
	 * @throws IllegalArgumentException if a number is out of its range
	 */
	public Limit starts(int most, Duration time) {
		return new Limit(this.name, this.running, most, time, Math.max(1, most / 10));
	}

	/**
	 * Says how many may start at one moment, after a time in which none did. To be called
	 * after {@link #starts(int, Duration)}.
	 * @param most from 1 to {@code starts}
	 * @return the limit with that
	 * @throws IllegalArgumentException if it is out of that range
	 */
	public Limit burst(int most) {
		return new Limit(this.name, this.running, this.starts, this.per, most);
	}

}
