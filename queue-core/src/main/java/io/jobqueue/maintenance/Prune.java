package io.jobqueue.maintenance;

import java.time.Duration;
import java.util.Map;
import java.util.function.IntSupplier;

import io.jobqueue.JobState;
import io.jobqueue.store.JobStore;

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
			total += untilDone(() -> this.store.prune(age.getKey(), age.getValue(), BATCH));
		}
		untilDone(() -> this.store.pruneUniqueKeys(BATCH));
		return total;
	}

	private static int untilDone(IntSupplier batch) {
		int total = 0;
		int deleted;
		do {
			deleted = batch.getAsInt();
			total += deleted;
		}
		while (deleted == BATCH && !Thread.currentThread().isInterrupted());
		return total;
	}

}
