package io.jobqueue;

import java.time.Duration;

/**
 * Is told what becomes of the jobs that this application runs. All beans of this type are
 * told, in their order.
 * <p>
 * A listener must be quick: it is called on the threads that run jobs and commit results.
 * What it throws is logged and harms nothing. A transaction that it leaves open is rolled
 * back. What must not be missed belongs into the handler: a listener is not told if the
 * process dies, nor of jobs that end without an attempt on this node, such as those that
 * are cancelled, expire, or are dead because they have killed their workers.
 */
public interface JobListener {

	/**
	 * An attempt starts.
	 * @param job the job
	 */
	default void started(JobContext job) {
	}

	/**
	 * The job has succeeded, and that is committed.
	 * @param job the job
	 * @param ran how long its handler ran
	 */
	default void succeeded(JobContext job, Duration ran) {
	}

	/**
	 * An attempt has failed and another follows, and that is committed.
	 * @param job the job
	 * @param failure why it failed
	 * @param nextIn how long it waits for its next attempt
	 */
	default void failed(JobContext job, AttemptFailure failure, Duration nextIn) {
	}

	/**
	 * An attempt has failed and the job is dead, and that is committed.
	 * @param job the job
	 * @param failure why it failed
	 */
	default void dead(JobContext job, AttemptFailure failure) {
	}

}
