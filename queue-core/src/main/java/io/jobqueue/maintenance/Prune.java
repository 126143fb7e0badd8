package io.jobqueue.maintenance;

import java.time.Duration;
import java.time.LocalDateTime;
import java.util.Map;
import java.util.function.Supplier;

import io.jobqueue.JobState;
import io.jobqueue.store.MaintenanceStore.Batch;
import io.jobqueue.store.MaintenanceStore.OldKey;
import io.jobqueue.store.MaintenanceStore;

import org.jspecify.annotations.Nullable;

/**
 * Deletes what is old: archived jobs by the age that is set for their state, the longest
 * that any application on the schema has set, and unique keys whose time is over. In
 * small batches, each a transaction of its own.
 */
public final class Prune implements Chore {

	private static final int MOST = 500;

	private final MaintenanceStore store;

	private final Supplier<String> application;

	private final Map<JobState, Duration> ages;

	private final Duration interval;

	/** Used by one thread at a time. */
	private volatile int batch = MOST;

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
		Round.<OldKey>of((after) -> this.store.pruneUniqueKeys(after, MOST));
		int total = 0;
		for (Map.Entry<JobState, Duration> age : this.store.retention(this.application.get(), this.ages).entrySet()) {
			total += Round.<LocalDateTime>of((from) -> prune(age.getKey(), age.getValue(), from));
		}
		this.batch = Math.min(MOST, this.batch * 2);
		return total;
	}

	/**
	 * Large payloads may make more than a transaction may have, or than can be deleted in
	 * time. A failure may have had another cause, so the next round that is done lets
	 * batches grow again.
	 */
	private Batch<LocalDateTime> prune(JobState state, Duration age, @Nullable LocalDateTime from) {
		try {
			return this.store.prune(state, age, from, this.batch);
		}
		catch (RuntimeException ex) {
			this.batch = Math.max(1, this.batch / 2);
			throw ex;
		}
	}

}
