package io.jobqueue.maintenance;

import io.jobqueue.store.MaintenanceStore.Batch;
import org.jspecify.annotations.Nullable;

/**
 * Sweeps a table page by page. Each round goes on where the last one stopped, so that a
 * million rows do not keep the chore busy.
 */
final class PagedSweep<P> {

	private static final int PAGE = 1_000;

	private static final int PAGES = 10;

	private final Sweep<P> sweep;

	/** Used by the chore's thread only. */
	private @Nullable P next;

	PagedSweep(Sweep<P> sweep) {
		this.sweep = sweep;
	}

	/**
	 * Sweeps some pages.
	 * @return how many rows were changed
	 */
	int run() {
		int changed = 0;
		for (int i = 0; i < PAGES && !Thread.currentThread().isInterrupted(); i++) {
			Batch<P> batch = this.sweep.after(this.next, PAGE);
			changed += batch.changed();
			this.next = batch.next();
			if (this.next == null) {
				break;
			}
		}
		return changed;
	}

	/**
	 * Sweeps one page.
	 */
	@FunctionalInterface
	interface Sweep<P> {

		Batch<P> after(@Nullable P after, int limit);

	}

}
