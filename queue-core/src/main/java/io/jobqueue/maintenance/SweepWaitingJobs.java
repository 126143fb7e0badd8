package io.jobqueue.maintenance;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import io.jobqueue.store.KeysInUse;
import io.jobqueue.store.LimitKey;
import io.jobqueue.store.LimitStore;
import io.jobqueue.store.OrderKeys;

/**
 * Sees to jobs that wait for their order keys or limit keys, and of which nobody knows:
 * the worker that had the job before them has died, or another program has changed rows.
 */
public final class SweepWaitingJobs implements Chore {

	private final Supplier<KeysInUse> inUse;

	private final Duration interval;

	private final PagedSweep<Long> jobsOfOrderKeys;

	private final List<PagedSweep<String>> orderKeys;

	private final PagedSweep<Long> jobsOfLimitKeys;

	private final List<PagedSweep<LimitKey>> limitKeys;

	/**
	 * Creates the chore.
	 * @param inUse tells what there is to be swept
	 * @param orderKeys the order keys
	 * @param limits the limits
	 * @param interval how often to look
	 */
	public SweepWaitingJobs(Supplier<KeysInUse> inUse, OrderKeys orderKeys, LimitStore limits, Duration interval) {
		this.inUse = inUse;
		this.interval = interval;
		this.jobsOfOrderKeys = new PagedSweep<>(orderKeys::sweepJobs);
		this.orderKeys = List.of(new PagedSweep<>(orderKeys::sweepKeys), new PagedSweep<>(orderKeys::forget));
		this.jobsOfLimitKeys = new PagedSweep<>(limits::sweepJobs);
		this.limitKeys = List.of(new PagedSweep<>(limits::sweepKeys), new PagedSweep<>(limits::forget));
	}

	@Override
	public String name() {
		return "sweep waiting jobs";
	}

	@Override
	public Duration interval() {
		return this.interval;
	}

	@Override
	public int runOnce() {
		KeysInUse used = this.inUse.get();
		List<PagedSweep<?>> sweeps = new ArrayList<>();
		if (used.orderJobs()) {
			sweeps.add(this.jobsOfOrderKeys);
		}
		if (used.orderKeys()) {
			sweeps.addAll(this.orderKeys);
		}
		if (used.limitJobs()) {
			sweeps.add(this.jobsOfLimitKeys);
		}
		if (used.limitKeys()) {
			sweeps.addAll(this.limitKeys);
		}
		return PagedSweep.runAll(sweeps);
	}

}
