package io.jobqueue.spring.actuate;

import java.util.List;

import io.jobqueue.LimitStatus;
import io.jobqueue.node.KeyStores;

/**
 * What jobs waited for at some moment, beside their time.
 *
 * @param limits the first hundred limits, by name
 * @param blockedKeys how many order keys a dead job blocks; counted up to 1,000
 */
public record KeySample(List<LimitStatus> limits, int blockedKeys) {

	/** Nothing was measured yet. */
	public static final KeySample NONE = new KeySample(List.of(), 0);

	private static final int MOST_LIMITS = 100;

	/** So far blocked keys are counted. */
	public static final int MOST_KEYS = 1_000;

	/**
	 * Measures limits and order keys.
	 * @param keys where they are
	 * @return the sample
	 */
	public static KeySample of(KeyStores keys) {
		return new KeySample(keys.limits().list(null).stream().limit(MOST_LIMITS).toList(),
				keys.orderKeys().blocked(MOST_KEYS).size());
	}

}
