package io.jobqueue;

/**
 * Where a job is in its life. {@link #READY}, {@link #WAITING} and {@link #RUNNING} jobs
 * are live; the others are archived.
 */
public enum JobState {

	/**
	 * Waits to be claimed: new, delayed, to be retried, released, rescued or redriven. A
	 * claim, a cancel or its expiry ends it.
	 */
	READY,

	/**
	 * Waits for an earlier job of its {@linkplain NewJob#orderKey(String) order key}, or
	 * for a place of its {@linkplain NewJob#limitKey(String) limit key}. It becomes
	 * {@link #READY} when that has ended, or there is a place; a cancel or its expiry
	 * ends it.
	 */
	WAITING,

	/**
	 * Claimed by a worker, which may not have started it yet. An ack, a failure, a
	 * release, a rescue or a cancel ends it; it does not expire any more.
	 */
	RUNNING,

	/** Its handler returned and that was committed. Ended by pruning only. */
	SUCCEEDED,

	/**
	 * Its attempts are used up, it failed for good, it killed its worker or brought the
	 * database down again and again, or its row is invalid. Ended by a redrive or by
	 * pruning.
	 */
	DEAD,

	/** Cancelled by the application or an operator. Ended by pruning only. */
	CANCELLED,

	/** Not claimed before its expiry. Ended by pruning only. */
	EXPIRED;

	/**
	 * Whether a job in this state can still run without being redriven.
	 * @return true for {@link #READY}, {@link #WAITING} and {@link #RUNNING}
	 */
	public boolean isLive() {
		return this == READY || this == WAITING || this == RUNNING;
	}

}
