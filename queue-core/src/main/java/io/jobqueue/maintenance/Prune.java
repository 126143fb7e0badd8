package io.jobqueue.maintenance;

import java.time.Duration;
import java.time.LocalDateTime;
import java.util.Map;
import java.util.function.Supplier;

import io.jobqueue.JobState;
import io.jobqueue.store.MaintenanceStore.OldKey;
import io.jobqueue.store.MaintenanceStore;

/**
 * Deletes what is old: archived jobs by the age that is set for their state, the longest
 * that any application on the schema has set, and unique keys whose time is over. In
 * small batches, each a transaction of its own.
 */
public final class Prune implements Chore {

	private static final int BATCH = 500;

	private final MaintenanceStore store;

	private final Supplier<String> application;

	private final Map<JobState, Duration> ages;

	private final Duration interval;

	/**
	 * Creates the chore.
	 * @param store the jobs
	 * @param application which application wants them to be kept
	 * @param ages how long archived jobs of each state are kept; states that are not
	 * named are kept for ever
	 * @param interval how often to look
	 */
	public Prune(MaintenanceStore store, Supplier<String> application, Map<JobState, Duration> ages,
			Duration interval) {
		this.store = store;
		this.application = application;
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
		for (Map.Entry<JobState, Duration> age : this.store.retention(this.application.get(), this.ages).entrySet()) {
			total += Round.<LocalDateTime>of((from) -> this.store.prune(age.getKey(), age.getValue(), from, BATCH));
		}
		Round.<OldKey>of((after) -> this.store.pruneUniqueKeys(after, BATCH));
		return total;
	}

}
