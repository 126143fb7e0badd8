package io.jobqueue.test;

import java.time.Duration;

import io.jobqueue.JobState;
import io.jobqueue.store.Keep;
import io.jobqueue.store.MaintenanceStore;

/**
 * Pruning for tests that need no round of it.
 */
public final class Pruning {

	private Pruning() {
	}

	/**
	 * Deletes some archived jobs of a state that are older than an age.
	 * @return how many were deleted
	 */
	public static int prune(MaintenanceStore store, JobState state, Duration age, int limit) {
		return store.prune(state, store.keptSince(state, Keep.of(age)), null, limit).changed();
	}

}
