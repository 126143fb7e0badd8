package io.jobqueue.maintenance;

import java.time.Duration;

import io.jobqueue.store.LimitKey;
import io.jobqueue.store.LimitStore;

/**
 * Sees to limit keys that have places for jobs that wait, and of which nobody knows: the
 * worker that had the last job has died, or another program has changed rows.
 */
public final class SweepLimitKeys implements Chore {

	private final LimitStore limits;

	private final Duration interval;

	private final PagedSweep<LimitKey> keys;

	private final PagedSweep<Long> jobs;

	private final PagedSweep<LimitKey> idle;

	/**
	 * Creates the chore.
	 * @param limits the limits
	 * @param interval how often to look
	 */
	public SweepLimitKeys(LimitStore limits, Duration interval) {
		this.limits = limits;
		this.interval = interval;
		this.keys = new PagedSweep<>(limits::sweepKeys);
		this.jobs = new PagedSweep<>(limits::sweepJobs);
		this.idle = new PagedSweep<>(limits::forget);
	}

	@Override
	public String name() {
		return "sweep limit keys";
	}

	@Override
	public Duration interval() {
		return this.interval;
	}

	@Override
	public int runOnce() {
		return this.limits.isUsed() ? this.keys.run() + this.jobs.run() + this.idle.run() : 0;
	}

}
