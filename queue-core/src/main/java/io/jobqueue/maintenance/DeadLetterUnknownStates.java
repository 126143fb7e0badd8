package io.jobqueue.maintenance;

import java.time.Duration;

import io.jobqueue.store.MaintenanceStore;

/**
 * Makes jobs dead whose state does not exist, which nobody would ever claim.
 */
public final class DeadLetterUnknownStates implements Chore {

	private static final int BATCH = 500;

	private final MaintenanceStore store;

	private final Duration interval;

	/**
	 * Creates the chore.
	 * @param store the jobs
	 * @param interval how often to look
	 */
	public DeadLetterUnknownStates(MaintenanceStore store, Duration interval) {
		this.store = store;
		this.interval = interval;
	}

	@Override
	public String name() {
		return "dead-letter unknown states";
	}

	@Override
	public Duration interval() {
		return this.interval;
	}

	@Override
	public int runOnce() {
		int total = 0;
		int batch;
		do {
			batch = this.store.deadLetterUnknownStates(BATCH);
			total += batch;
		}
		while (batch == BATCH && !Thread.currentThread().isInterrupted());
		return total;
	}

}
