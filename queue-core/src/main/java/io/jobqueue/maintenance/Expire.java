package io.jobqueue.maintenance;

import java.time.Duration;
import java.time.LocalDateTime;
import java.util.function.BooleanSupplier;

import io.jobqueue.store.MaintenanceStore;

/**
 * Archives ready jobs that have expired without being claimed.
 */
public final class Expire implements Chore {

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
	public Expire(MaintenanceStore store, BooleanSupplier any, Duration interval) {
		this.store = store;
		this.any = any;
		this.interval = interval;
	}

	@Override
	public String name() {
		return "expire";
	}

	@Override
	public Duration interval() {
		return this.interval;
	}

	@Override
	public int runOnce() {
		return !this.any.getAsBoolean() ? 0 : Round.<LocalDateTime>of((from) -> this.store.expire(from, BATCH));
	}

}
