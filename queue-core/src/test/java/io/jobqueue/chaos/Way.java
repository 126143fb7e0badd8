package io.jobqueue.chaos;

import java.util.List;

import io.jobqueue.ClaimStrategy;
import io.jobqueue.QueueMode;

/**
 * A way in which jobs are kept from running twice.
 */
enum Way {

	SKIP_LOCKED(ClaimStrategy.SKIP_LOCKED, QueueMode.STANDARD),

	UPDATE_LIMIT(ClaimStrategy.UPDATE_LIMIT, QueueMode.STANDARD),

	COMPARE_AND_SET(ClaimStrategy.COMPARE_AND_SET, QueueMode.STANDARD),

	ROW_LOCK(ClaimStrategy.SKIP_LOCKED, QueueMode.ROW_LOCK);

	private final ClaimStrategy claim;

	private final QueueMode mode;

	Way(ClaimStrategy claim, QueueMode mode) {
		this.claim = claim;
		this.mode = mode;
	}

	ClaimStrategy claim() {
		return this.claim;
	}

	QueueMode mode() {
		return this.mode;
	}

	/**
	 * The ways to be tried: all if everything is to be broken, else the usual one, or
	 * that of {@code -Djobqueue.chaos.way}.
	 */
	static List<Way> toTry() {
		String one = System.getProperty("jobqueue.chaos.way");
		if (one != null) {
			return List.of(valueOf(one));
		}
		return ChaosTests.FULL ? List.of(values()) : List.of(SKIP_LOCKED);
	}

}
