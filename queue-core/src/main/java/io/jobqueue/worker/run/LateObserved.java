package io.jobqueue.worker.run;

import java.util.function.Supplier;

import io.jobqueue.observe.Observed;

/**
 * A run that may turn out to be somebody else's before its handler is called, as in a
 * row-lock queue: it is watched from the call on, or from the failure before that.
 */
final class LateObserved implements Observed {

	private final Supplier<Observed> begin;

	private Observed begun = Observed.NONE;

	private boolean hasBegun;

	/**
	 * Creates it; nothing is watched yet.
	 * @param begin has the run watched
	 */
	LateObserved(Supplier<Observed> begin) {
		this.begin = begin;
	}

	void begin() {
		if (!this.hasBegun) {
			this.hasBegun = true;
			this.begun = this.begin.get();
		}
	}

	@Override
	public void failed(Throwable cause) {
		begin();
		this.begun.failed(cause);
	}

	@Override
	public void end() {
		this.begun.end();
	}

}
