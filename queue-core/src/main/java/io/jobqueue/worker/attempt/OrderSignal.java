package io.jobqueue.worker.attempt;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Whether a job with an order key has come or ended on this node, so that somebody has to
 * see to its key.
 */
public final class OrderSignal {

	private final AtomicBoolean changed = new AtomicBoolean();

	public void changed() {
		this.changed.set(true);
	}

	/**
	 * Whether anything has changed since this was asked last.
	 */
	public boolean takeChanged() {
		return this.changed.get() && this.changed.getAndSet(false);
	}

}
