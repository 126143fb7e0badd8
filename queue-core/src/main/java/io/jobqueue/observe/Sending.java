package io.jobqueue.observe;

import org.jspecify.annotations.Nullable;

/**
 * An enqueue that is being watched.
 */
public interface Sending extends Observed {

	/** The longest trace that is stored with a job, in characters. */
	int MAX_TRACE = 1_000;

	/** Watched by nobody. */
	Sending NONE = new Sending() {

		@Override
		public @Nullable String trace() {
			return null;
		}

		@Override
		public void failed(Throwable cause) {
		}

		@Override
		public void end() {
		}

	};

	/**
	 * What is to be stored with the jobs, so that their attempts belong to the trace of
	 * this enqueue.
	 * @return at most {@value #MAX_TRACE} characters; null if there is no trace
	 */
	@Nullable String trace();

}
