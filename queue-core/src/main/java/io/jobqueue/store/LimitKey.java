package io.jobqueue.store;

/**
 * One allowance of a limit.
 *
 * @param limitId the limit's number
 * @param key the limit key; empty for the one that all jobs without a key share
 */
public record LimitKey(int limitId, String key) implements Comparable<LimitKey> {

	/**
	 * The allowance that all jobs without a key share.
	 * @param limitId the limit's number
	 */
	public static LimitKey shared(int limitId) {
		return new LimitKey(limitId, "");
	}

	@Override
	public int compareTo(LimitKey other) {
		int byLimit = Integer.compare(this.limitId, other.limitId);
		return (byLimit != 0) ? byLimit : this.key.compareTo(other.key);
	}

}
