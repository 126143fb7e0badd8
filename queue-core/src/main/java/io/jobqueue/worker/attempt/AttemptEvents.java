package io.jobqueue.worker.attempt;

import java.util.List;

import io.jobqueue.worker.WorkerListener;
import io.jobqueue.worker.thread.WakeUp;

/**
 * Passes on what attempts have come to: to the listener, to what measures how quick jobs
 * are, and to the poll loop, which may have room now.
 */
public final class AttemptEvents {

	private final WorkerListener listener;

	private final Capacity capacity;

	private final JobSignals signals;

	private final WakeUp wakeUp;

	public AttemptEvents(WorkerListener listener, Capacity capacity, JobSignals signals, WakeUp wakeUp) {
		this.listener = listener;
		this.capacity = capacity;
		this.signals = signals;
		this.wakeUp = wakeUp;
	}

	/**
	 * The end of an attempt is committed.
	 */
	void ended(AttemptEnd end) {
		if (end.outcome() != null) {
			this.listener.finished(end.attempt().job(), end.outcome(), end.ran(), end.finish());
		}
	}

	/**
	 * All of these ends have been told of: counts them, and wakes the poll loop if there
	 * is more room now.
	 * @param ends the ends
	 * @param replaced how many jobs have come in the place of these
	 */
	void allEnded(List<AttemptEnd> ends, int replaced) {
		this.capacity.finished(ends.stream().filter(AttemptEnd::hasRun).map(AttemptEnd::ranAlone).toList());
		this.signals.ended(ends);
		// A round that has begun meanwhile may have seen both.
		if (replaced < ends.size() || !this.signals.ahead().isAllowed()) {
			slotIsFree();
		}
	}

	/**
	 * Says how many results wait because they cannot be committed.
	 */
	public void deferred(int results) {
		this.capacity.deferred(results);
	}

	/**
	 * A slot can be used again.
	 */
	public void slotIsFree() {
		this.wakeUp.signal();
	}

}
