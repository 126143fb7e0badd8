package io.jobqueue.worker.attempt;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * What is noted of an attempt on the way to its result.
 */
public final class AttemptMarks {

	private volatile boolean failedByOutage;

	private volatile boolean begun;

	/** Used by the watchdog only. */
	private @Nullable Long seenFinishing;

	private volatile boolean overdue;

	/** Used by the attempt's own thread only. */
	private boolean threadUnclean;

	/** Used by the attempt's own thread only. */
	private Runnable onCall = () -> {
	};

	AttemptMarks() {
	}

	/**
	 * Notes that the handler failed by the loss of a database, which may have been the
	 * queue's.
	 */
	public void failedByOutage() {
		this.failedByOutage = true;
	}

	public boolean isFailedByOutage() {
		return this.failedByOutage;
	}

	/**
	 * Notes that its job, of a row-lock queue, has a start record.
	 */
	public void begun() {
		this.begun = true;
	}

	public boolean isBegun() {
		return this.begun;
	}

	/**
	 * Notes that the handler has left something behind on its thread.
	 */
	public void threadUnclean() {
		this.threadUnclean = true;
	}

	public boolean isThreadClean() {
		return !this.threadUnclean;
	}

	/**
	 * Has something done right before the handler is called, if it is.
	 * @param work what is done
	 */
	public void onCall(Runnable work) {
		this.onCall = work;
	}

	/**
	 * Notes that nothing stands between the attempt and its handler any more.
	 */
	public void called() {
		this.onCall.run();
	}

	boolean noteFinishing(boolean finishing, long nanos, Duration most) {
		if (!finishing) {
			this.seenFinishing = null;
			return false;
		}
		if (this.overdue) {
			return false;
		}
		this.seenFinishing = (this.seenFinishing != null) ? this.seenFinishing : Long.valueOf(nanos);
		this.overdue = nanos - this.seenFinishing > most.toNanos();
		return this.overdue;
	}

	boolean isOverdue() {
		return this.overdue;
	}

}
