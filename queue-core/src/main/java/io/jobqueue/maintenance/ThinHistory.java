package io.jobqueue.maintenance;

import java.time.Duration;
import java.util.function.IntSupplier;

import io.jobqueue.store.HistoryStore;

/**
 * Keeps the history small: sums up what is old to longer steps, and deletes what was kept
 * for long enough.
 */
public final class ThinHistory implements Chore {

	private static final Duration INTERVAL = Duration.ofMinutes(10);

	/** In a round: ten minutes of a day are 144, and there may be more to catch up with. */
	private static final int MOST_STEPS = 1_000;

	private final HistoryStore store;

	private final Duration keep;

	/**
	 * Creates the chore.
	 * @param store the history
	 * @param keep how long it is kept
	 */
	public ThinHistory(HistoryStore store, Duration keep) {
		this.store = store;
		this.keep = keep;
	}

	@Override
	public String name() {
		return "thin history";
	}

	@Override
	public Duration interval() {
		return INTERVAL;
	}

	@Override
	public int runOnce() {
		return all(this.store::thin) + all(() -> this.store.prune(this.keep));
	}

	private static int all(IntSupplier step) {
		int total = 0;
		for (int steps = 0; steps < MOST_STEPS && !Thread.currentThread().isInterrupted(); steps++) {
			int changed = step.getAsInt();
			total += changed;
			if (changed == 0) {
				break;
			}
		}
		return total;
	}

}
