package io.jobqueue.maintenance;

import java.time.Duration;

import io.jobqueue.store.MaintenanceStore.Batch;
import io.jobqueue.store.OrderKeys;
import org.jspecify.annotations.Nullable;

/**
 * Sees to order keys that nobody sees to, because another program has inserted or deleted
 * rows. It goes on where the last round stopped, so that a million keys do not keep it
 * busy.
 */
public final class SweepOrderKeys implements Chore {

	private static final int PAGE = 1_000;

	private static final int PAGES = 10;

	private final OrderKeys keys;

	private final Duration interval;

	/** Used by the chore's thread only, as the rest. */
	private @Nullable String lastKey;

	private @Nullable Long lastJob;

	private @Nullable String lastForgotten;

	private int changed;

	/**
	 * Creates the chore.
	 * @param keys the order keys
	 * @param interval how often to look
	 */
	public SweepOrderKeys(OrderKeys keys, Duration interval) {
		this.keys = keys;
		this.interval = interval;
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
		if (!this.keys.isUsed()) {
			return 0;
		}
		this.changed = 0;
		this.lastJob = pages(this.lastJob, this.keys::sweepJobs);
		this.lastKey = pages(this.lastKey, this.keys::sweepKeys);
		this.lastForgotten = pages(this.lastForgotten, this.keys::forget);
		return this.changed;
	}

	private <P> @Nullable P pages(@Nullable P from, Sweep<P> sweep) {
		P next = from;
		for (int i = 0; i < PAGES && !Thread.currentThread().isInterrupted(); i++) {
			Batch<P> batch = sweep.after(next, PAGE);
			this.changed += batch.changed();
			next = batch.next();
			if (next == null) {
				return null;
			}
		}
		return next;
	}

	/**
	 * One way to sweep.
	 */
	private interface Sweep<P> {

		Batch<P> after(@Nullable P after, int limit);

	}

}
