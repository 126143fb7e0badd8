package io.jobqueue.worker.attempt;

import java.util.Collection;
import java.util.function.LongSupplier;

import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.LimitPauses;
import io.jobqueue.worker.thread.WakeUp;

/**
 * What jobs that come and end on this node mean for others: the next one of an order key
 * may run, a limit has a place.
 *
 * @param orders order keys
 * @param limits limits
 * @param wakeUp is signalled with either
 * @param ahead whether the next job of an order key may be claimed with the end of the
 * one before
 */
public record JobSignals(OrderSignal orders, LimitPauses limits, WakeUp wakeUp, ClaimAhead ahead) {

	/**
	 * Begins without a signal.
	 * @param nanoTime the monotonic clock
	 */
	public JobSignals(LongSupplier nanoTime) {
		this(nanoTime, new WakeUp());
	}

	private JobSignals(LongSupplier nanoTime, WakeUp wakeUp) {
		this(new OrderSignal(wakeUp::signal), new LimitPauses(nanoTime, wakeUp::signal), wakeUp,
				new ClaimAhead(nanoTime));
	}

	void ended(Collection<AttemptEnd> ends) {
		for (AttemptEnd end : ends) {
			ClaimedJob job = end.attempt().job();
			if (job.orderKey() != null && !end.keySeenTo()) {
				this.orders.changed();
			}
			this.limits.ended(job);
		}
	}

}
