package io.jobqueue.worker.attempt;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Whether a job with an order key has come or ended on this node, so that somebody has to
 * see to its key.
 */
public final class OrderSignal {

	private final Runnable onChange;

	private final AtomicBoolean changed = new AtomicBoolean();

	/**
	 * Begins without a signal.
	 * @param onChange is run at each signal
	 */
	public OrderSignal(Runnable onChange) {
		this.onChange = onChange;
	}

	public void changed() {
		this.changed.set(true);
		this.onChange.run();
	}

	/**
	 * Whether anything has changed since this was asked last.
	 */
	public boolean takeChanged() {
		return this.changed.get() && this.changed.getAndSet(false);
	}

}
