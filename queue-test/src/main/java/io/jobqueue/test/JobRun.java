package io.jobqueue.test;

import io.jobqueue.AttemptFailure;
import org.jspecify.annotations.Nullable;

/**
 * One run of a handler.
 *
 * @param id the job's id
 * @param type its type
 * @param attempt the number of the attempt, from 1
 * @param outcome how it ended
 * @param failure why it failed, as it is stored with the job; null if it did not
 * @param thrown what the handler threw; null if nothing, or if it was not called because
 * its payload cannot be read
 */
public record JobRun(long id, String type, int attempt, Outcome outcome, @Nullable AttemptFailure failure,
		@Nullable Throwable thrown) {

	/**
	 * How a run ended.
	 */
	public enum Outcome {

		/** The job succeeded. */
		SUCCEEDED,

		/** It failed and will run again. */
		RETRIED,

		/** It failed and is dead. */
		DEAD,

		/** It was given back, the attempt not counted. */
		RELEASED,

		/** Its end came too late, so that its result was discarded. */
		STALE

	}

}
