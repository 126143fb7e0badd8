package io.jobqueue.maintenance;

import java.time.Duration;

import io.jobqueue.store.OrderKeys;

/**
 * Sees to order keys that nobody sees to, because another program has inserted or deleted
 * rows.
 */
public final class SweepOrderKeys implements Chore {

	private final OrderKeys keys;

	private final Duration interval;

	private final PagedSweep<Long> jobs;

	private final PagedSweep<String> stuck;

	private final PagedSweep<String> idle;

	/**
	 * Creates the chore.
	 * @param keys the order keys
	 * @param interval how often to look
	 */
	public SweepOrderKeys(OrderKeys keys, Duration interval) {
		this.keys = keys;
		this.interval = interval;
		this.jobs = new PagedSweep<>(keys::sweepJobs);
		this.stuck = new PagedSweep<>(keys::sweepKeys);
		this.idle = new PagedSweep<>(keys::forget);
	}

	@Override
	public String name() {
		return "sweep order keys";
	}

	@Override
	public Duration interval() {
		return this.interval;
	}

	@Override
	public int runOnce() {
		return this.keys.isUsed() ? this.jobs.run() + this.stuck.run() + this.idle.run() : 0;
	}

}
