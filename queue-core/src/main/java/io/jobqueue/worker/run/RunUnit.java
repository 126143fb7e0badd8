package io.jobqueue.worker.run;

import io.jobqueue.worker.attempt.Attempt;

/**
 * In what a handler runs: alone, or in a transaction that ends with the ack. One object
 * for each way; the handler says which.
 */
interface RunUnit {

	/** The handler alone. Its result is committed later, with those of others. */
	RunUnit PLAIN = (attempt, call) -> {
		call.run();
		return Ran.RETURNED;
	};

	/**
	 * Runs the handler of an attempt.
	 * @param attempt the attempt
	 * @param call calls the handler, through all that is around it
	 * @return what became of the claim
	 * @throws Exception what the handler threw, or the unit; nothing is committed then,
	 * unless that is unknown
	 */
	Ran run(Attempt attempt, HandlerCall call) throws Exception;

	/**
	 * What became of the claim of an attempt whose handler has returned.
	 */
	enum Ran {

		/** Nothing yet. */
		RETURNED,

		/** It has ended: the job is acked, with what the handler wrote. */
		ACKED,

		/** Somebody else has the job: the handler was not called. */
		MISSED,

		/** It was not current any more, so all was rolled back. */
		STALE

	}

	/**
	 * Calls the handler of an attempt.
	 */
	@FunctionalInterface
	interface HandlerCall {

		void run() throws Exception;

	}

}
