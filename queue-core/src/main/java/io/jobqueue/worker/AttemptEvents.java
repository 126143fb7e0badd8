package io.jobqueue.worker;

import java.util.List;

/**
 * Passes on what attempts have come to: to the listener, to what measures how quick jobs
 * are, and to the poll loop, which may have room now.
 */
final class AttemptEvents {

	private final WorkerListener listener;

	private final Capacity capacity;

	private final WakeUp wakeUp;

	AttemptEvents(WorkerListener listener, Capacity capacity, WakeUp wakeUp) {
		this.listener = listener;
		this.capacity = capacity;
		this.wakeUp = wakeUp;
	}

	/**
	 * The end of an attempt is committed.
	 */
	void ended(AttemptEnd end) {
		if (end.outcome() != null) {
			this.listener.finished(end.attempt().job(), end.outcome(), end.ran());
		}
	}

	/**
	 * The last of these has been told of.
	 */
	void allEnded(List<AttemptEnd> ends) {
		this.capacity.finished((int) ends.stream().filter(AttemptEnd::hasRun).count());
		slotIsFree();
	}

	/**
	 * So many results wait because they cannot be committed.
	 */
	void deferred(int results) {
		this.capacity.deferred(results);
	}

	/**
	 * A slot can be used again.
	 */
	void slotIsFree() {
		this.wakeUp.signal();
	}

}
