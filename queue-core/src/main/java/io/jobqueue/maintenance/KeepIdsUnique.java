package io.jobqueue.maintenance;

import java.time.Duration;

import io.jobqueue.store.MaintenanceStore;

/**
 * Sees to it that no new job gets the id of an archived one, and that there are ids left.
 */
public final class KeepIdsUnique implements Chore {

	/** A day at the pace of the fastest enqueue that was ever measured. */
	private static final long FEW = 20_000_000_000L;

	private final MaintenanceStore store;

	private final Duration interval;

	private volatile String problem = "";

	/**
	 * Creates the chore.
	 * @param store the jobs
	 * @param interval how often to look
	 */
	public KeepIdsUnique(MaintenanceStore store, Duration interval) {
		this.store = store;
		this.interval = interval;
	}

	@Override
	public String name() {
		return "keep ids unique";
	}

	@Override
	public Duration interval() {
		return this.interval;
	}

	@Override
	public boolean atStart() {
		return true;
	}

	/**
	 * What is wrong with the ids.
	 * @return the problem, or empty
	 */
	public String problem() {
		return this.problem;
	}

	@Override
	public int runOnce() {
		long left = this.store.keepIdsUnique();
		this.problem = (left < FEW) ? "jobqueue_job has only " + left
				+ " ids left: somebody has inserted a job with an id near the end of BIGINT. Remove that job, and set "
				+ "the table's AUTO_INCREMENT back" : "";
		return 0;
	}

}
