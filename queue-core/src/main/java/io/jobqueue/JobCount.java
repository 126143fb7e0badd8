package io.jobqueue;

import java.util.Locale;

/**
 * How many jobs there are, as far as they were counted.
 *
 * @param jobs how many were found
 * @param more whether there may be more: counting has stopped
 */
public record JobCount(long jobs, boolean more) {

	/**
	 * As it is written for people.
	 * @return such as {@code 42}, or {@code 100,000+}
	 */
	@Override
	public String toString() {
		return String.format(Locale.ROOT, "%,d%s", this.jobs, this.more ? "+" : "");
	}

}
