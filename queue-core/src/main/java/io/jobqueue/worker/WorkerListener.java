package io.jobqueue.worker;

import java.time.Duration;
import java.util.List;

import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Finish;

import org.jspecify.annotations.Nullable;

/**
 * Is told what a worker does; for meters and tests. Must not block.
 */
public interface WorkerListener {

	/**
	 * An attempt starts.
	 * @param job the job
	 * @param delay how long the job has waited since it became available
	 */
	default void started(ClaimedJob job, Duration delay) {
	}

	/**
	 * An attempt that was started has ended, and that is committed.
	 * @param job the job
	 * @param outcome how it ended
	 * @param duration how long the handler ran
	 * @param how how its claim ended; null if that is not known
	 */
	default void finished(ClaimedJob job, Outcome outcome, Duration duration, @Nullable Finish how) {
	}

	/**
	 * Several listeners as one. What one of them throws is logged and goes no further.
	 * @param listeners the listeners
	 * @return one that tells them all
	 */
	static WorkerListener all(List<WorkerListener> listeners) {
		return new WorkerListeners(listeners);
	}

}
