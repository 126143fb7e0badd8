package io.jobqueue.observe;

import java.util.List;

import io.jobqueue.JobContext;
import io.jobqueue.NewJob;
import org.jspecify.annotations.Nullable;

/**
 * Watches what a node does with jobs. Each method is called, on the thread that does the
 * work, right before that begins. One that is not implemented watches nothing.
 */
public interface QueueObserver {

	/** Watches nothing. */
	QueueObserver NONE = new QueueObserver() {

	};

	/**
	 * An observer whose failures go to the log: what is only watched must not fail for
	 * that.
	 * @param observer the observer
	 * @return the same, guarded
	 */
	static QueueObserver guarded(QueueObserver observer) {
		boolean safe = observer == NONE || observer instanceof GuardedObserver;
		return safe ? observer : new GuardedObserver(observer);
	}

	/**
	 * Jobs are enqueued, in one statement or in several.
	 * @param jobs the jobs, at least one
	 * @return what is told of the end
	 */
	default Sending send(List<NewJob> jobs) {
		return Sending.NONE;
	}

	/**
	 * A handler is called, and its transaction committed if it has one.
	 * @param job its job
	 * @return what is told of the end
	 */
	default Observed process(Processed job) {
		return Observed.NONE;
	}

	/**
	 * A batch handler is called, and its transaction committed if it has one.
	 * @param chunk its jobs, at least one, all of one type
	 * @return what is told of the end
	 */
	default Observed processChunk(List<Processed> chunk) {
		return Observed.NONE;
	}

	/**
	 * Results are committed.
	 * @param results how many
	 * @return what is told of the end
	 */
	default Observed settle(int results) {
		return Observed.NONE;
	}

	/**
	 * A job whose handler is called.
	 *
	 * @param job the job
	 * @param trace the trace that it was enqueued in; null for none
	 */
	record Processed(JobContext job, @Nullable String trace) {

	}

}
