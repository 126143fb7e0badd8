package io.jobqueue.maintenance;

import java.time.Duration;

import io.jobqueue.store.AuditStore;

/**
 * Deletes entries of the audit, and operations that have ended, that were kept for long
 * enough.
 */
public final class PruneAudit implements Chore {

	private static final Duration INTERVAL = Duration.ofHours(1);

	private static final int BATCH = 500;

	private static final int MOST_BATCHES = 100;

	private final AuditStore store;

	private final Duration keep;

	/**
	 * Creates the chore.
	 * @param store the audit
	 * @param keep how long entries are kept
	 */
	public PruneAudit(AuditStore store, Duration keep) {
		this.store = store;
		this.keep = keep;
	}

	@Override
	public String name() {
		return "prune audit";
	}

	@Override
	public Duration interval() {
		return INTERVAL;
	}

	@Override
	public int runOnce() {
		int total = 0;
		for (int batch = 0; batch < MOST_BATCHES && !Thread.currentThread().isInterrupted(); batch++) {
			int deleted = this.store.prune(this.keep, BATCH);
			total += deleted;
			if (deleted < BATCH) {
				break;
			}
		}
		return total;
	}

}
