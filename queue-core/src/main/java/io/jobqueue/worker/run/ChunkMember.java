package io.jobqueue.worker.run;

import io.jobqueue.worker.Handler.ChunkItem;
import io.jobqueue.worker.attempt.Attempt;
import io.jobqueue.worker.attempt.InterruptReason;

/**
 * An attempt, and its job in the call.
 */
record ChunkMember(Attempt attempt, ChunkItem item) {

	/** What it was marked with belongs to the call that has failed. */
	ChunkMember again() {
		return new ChunkMember(this.attempt, new ChunkItem(this.item.payload(), this.item.context()));
	}

	boolean isTimedOut() {
		return this.attempt.reason() == InterruptReason.TIMEOUT;
	}

	boolean isStopped() {
		InterruptReason reason = this.attempt.reason();
		return reason == InterruptReason.SESSION_LOST || reason == InterruptReason.SHUTDOWN;
	}

}
