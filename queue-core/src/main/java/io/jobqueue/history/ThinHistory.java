package io.jobqueue.history;

import java.time.Duration;
import java.util.function.IntSupplier;

import io.jobqueue.store.HistoryStore;

/**
 * Keeps the history small: sums up what is old to longer steps, and deletes what was kept
 * for long enough.
 */
public final class ThinHistory {

	/** At once: ten minutes of a day are 144, and there may be more to catch up with. */
	private static final int MOST_STEPS = 1_000;

	private final HistoryStore store;

	private final Duration keep;

	/**
	 * Creates it.
	 * @param store the history
	 * @param keep how long it is kept
	 */
	public ThinHistory(HistoryStore store, Duration keep) {
		this.store = store;
		this.keep = keep;
	}

	/**
	 * Does what is due.
	 */
	public void run() {
		all(this.store::thin);
		all(() -> this.store.prune(this.keep));
	}

	private static void all(IntSupplier step) {
		int steps = 0;
		while (steps < MOST_STEPS && !Thread.currentThread().isInterrupted() && step.getAsInt() > 0) {
			steps++;
		}
	}

}
