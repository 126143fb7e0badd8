package io.jobqueue.maintenance;

import java.time.Duration;
import java.time.LocalDateTime;
import java.util.Map;

import io.jobqueue.JobState;
import io.jobqueue.store.JobStore;
import io.jobqueue.store.JobStore.OldKey;

/**
 * Deletes what is old: archived jobs by the age that is set for their state, and unique
 * keys whose time is over. In small batches, each a transaction of its own.
 */
public final class Prune implements Chore {

	private static final int BATCH = 500;

	private final JobStore store;

	private final Map<JobState, Duration> ages;

	private final Duration interval;

	/**
	 * Creates the chore.
	 * @param store the jobs
	 * @param ages how long archived jobs of each state are kept; states that are not
	 * named are kept for ever
	 * @param interval how often to look
	 */
	public Prune(JobStore store, Map<JobState, Duration> ages, Duration interval) {
		this.store = store;
		this.ages = Map.copyOf(ages);
		this.interval = interval;
	}

	@Override
	public String name() {
		return "prune";
	}

	@Override
	public Duration interval() {
		return this.interval;
	}

	@Override
	public int runOnce() {
		int total = 0;
		for (Map.Entry<JobState, Duration> age : this.ages.entrySet()) {
			total += Round.<LocalDateTime>of((from) -> this.store.prune(age.getKey(), age.getValue(), from, BATCH));
		}
		Round.<OldKey>of((after) -> this.store.pruneUniqueKeys(after, BATCH));
		return total;
	}

}
