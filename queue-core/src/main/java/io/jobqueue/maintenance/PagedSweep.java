package io.jobqueue.maintenance;

import java.util.ArrayList;
import java.util.List;

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
	 * Runs sweeps one after another. What fails in one does not keep the others, nor the
	 * pages that follow.
	 * @param sweeps the sweeps
	 * @return how many rows were changed
	 * @throws RuntimeException what has failed first
	 */
	static int runAll(List<? extends PagedSweep<?>> sweeps) {
		int changed = 0;
		List<RuntimeException> failures = new ArrayList<>();
		for (PagedSweep<?> sweep : sweeps) {
			try {
				changed += sweep.run(failures);
			}
			catch (RuntimeException ex) {
				failures.add(ex);
			}
		}
		if (!failures.isEmpty()) {
			RuntimeException first = failures.get(0);
			failures.stream().filter((failure) -> failure != first).forEach(first::addSuppressed);
			throw first;
		}
		return changed;
	}

	private int run(List<RuntimeException> failures) {
		int changed = 0;
		for (int i = 0; i < PAGES && !Thread.currentThread().isInterrupted(); i++) {
			Batch<P> batch = this.sweep.after(this.next, PAGE);
			changed += batch.changed();
			this.next = batch.next();
			if (batch.failure() != null) {
				failures.add(batch.failure());
			}
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
