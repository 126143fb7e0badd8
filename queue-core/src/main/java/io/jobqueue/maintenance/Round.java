package io.jobqueue.maintenance;

import io.jobqueue.store.MaintenanceStore.Batch;

import org.jspecify.annotations.Nullable;

/**
 * A round that is done in batches, each of which goes on where the last one stopped.
 */
final class Round {

	private Round() {
	}

	/**
	 * Does batches until there is nothing left to do, or the thread is interrupted.
	 * @param <P> a place in the order of the round
	 * @param step does one batch
	 * @return how many were changed
	 */
	static <P> int of(Step<P> step) {
		int total = 0;
		Batch<P> batch;
		P place = null;
		do {
			batch = step.from(place);
			total += batch.changed();
			place = batch.next();
		}
		while (place != null && !Thread.currentThread().isInterrupted());
		return total;
	}

	/**
	 * One batch.
	 *
	 * @param <P> a place in the order of the round
	 */
	interface Step<P> {

		Batch<P> from(@Nullable P place);

	}

}
