package io.jobqueue.maintenance;

import java.time.Duration;
import java.util.List;

import io.jobqueue.store.DeadJobStore;

/**
 * Sees to the causes of dead jobs: those of jobs that other programs have archived are
 * found, and those of jobs that are gone are forgotten.
 */
public final class SweepDeadJobs implements Chore {

	private final List<PagedSweep<?>> sweeps;

	private final Duration interval;

	/**
	 * Creates the chore.
	 * @param store the dead jobs
	 * @param interval how often to look
	 */
	public SweepDeadJobs(DeadJobStore store, Duration interval) {
		this.sweeps = List.of(new PagedSweep<>(store::addMissing), new PagedSweep<>(store::forgetGone));
		this.interval = interval;
	}

	@Override
	public String name() {
		return "sweep dead jobs";
	}

	@Override
	public Duration interval() {
		return this.interval;
	}

	@Override
	public int runOnce() {
		return PagedSweep.runAll(this.sweeps);
	}

}
