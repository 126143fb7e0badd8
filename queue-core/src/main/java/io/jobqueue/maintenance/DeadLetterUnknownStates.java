package io.jobqueue.maintenance;

import java.time.Duration;
import java.util.function.BooleanSupplier;

import io.jobqueue.store.MaintenanceStore;

/**
 * Makes jobs dead whose state does not exist, which nobody would ever claim.
 */
public final class DeadLetterUnknownStates implements Chore {

	private static final int BATCH = 500;

	private final MaintenanceStore store;

	private final BooleanSupplier any;

	private final Duration interval;

	/**
	 * Creates the chore.
	 * @param store the jobs
	 * @param any whether there are any
	 * @param interval how often to look
	 */
	public DeadLetterUnknownStates(MaintenanceStore store, BooleanSupplier any, Duration interval) {
		this.store = store;
		this.any = any;
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
		if (!this.any.getAsBoolean()) {
			return 0;
		}
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
