package io.jobqueue.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;

import io.jobqueue.store.ApplicationStore.CancelledJobs;
import io.jobqueue.store.ApplicationStore.LiveJobs;

import org.jspecify.annotations.Nullable;

import org.springframework.dao.CannotAcquireLockException;

/**
 * Cancels all live jobs of a queue and type, one page of the table after the other. Jobs
 * that are enqueued meanwhile have higher ids than those that it looks at.
 */
final class BulkCancel {

	/** How many jobs one statement looks at. */
	private static final int PAGE = 5_000;

	/** How many jobs one transaction cancels. */
	private static final int BATCH = 200;

	/** Workers hold a row for a moment only. */
	private static final Duration PATIENCE = Duration.ofSeconds(5);

	private static final long PAUSE_NANOS = Duration.ofMillis(50).toNanos();

	private final ApplicationStore store;

	private final LongConsumer told;

	private final List<Long> locked = new ArrayList<>();

	private int cancelled;

	BulkCancel(ApplicationStore store, LongConsumer told) {
		this.store = store;
		this.told = told;
	}

	int run(@Nullable String queue, @Nullable String type) {
		long last = this.store.lastLive();
		Long after = Long.MIN_VALUE;
		while (after != null) {
			LiveJobs page = this.store.live(queue, type, after, last, PAGE);
			cancel(page.ids());
			after = page.next();
		}
		cancelLocked();
		return this.cancelled;
	}

	private void cancel(List<Long> ids) {
		for (int from = 0; from < ids.size(); from += BATCH) {
			CancelledJobs done = this.store.cancel(ids.subList(from, Math.min(from + BATCH, ids.size())));
			done.cancelled().forEach(this.told::accept);
			this.cancelled += done.cancelled().size();
			this.locked.addAll(done.locked());
		}
	}

	/**
	 * Asks again for those that were locked, all of them each time, so that one which
	 * stays locked keeps no other.
	 */
	private void cancelLocked() {
		long until = System.nanoTime() + PATIENCE.toNanos();
		while (!this.locked.isEmpty()) {
			if (System.nanoTime() - until > 0) {
				throw new CannotAcquireLockException(
						this.locked.size() + " job(s) are locked by another transaction, the first of them job "
								+ this.locked.get(0) + "; " + this.cancelled + " others were cancelled");
			}
			LockSupport.parkNanos(PAUSE_NANOS);
			List<Long> again = List.copyOf(this.locked);
			this.locked.clear();
			cancel(again);
		}
	}

}
