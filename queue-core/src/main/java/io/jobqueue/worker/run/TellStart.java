package io.jobqueue.worker.run;

import java.util.function.LongSupplier;

import io.jobqueue.worker.WorkerListener;
import io.jobqueue.worker.attempt.Attempt;
import io.jobqueue.worker.run.RunUnit.HandlerCall;

/**
 * Tells the worker's listener and observer that an attempt starts, once nothing stands
 * between it and its handler: a job of a row-lock queue may turn out to be somebody
 * else's before.
 */
final class TellStart implements RunInterceptor {

	private final WorkerListener listener;

	private final LongSupplier nanoTime;

	/**
	 * Creates it.
	 * @param listener who is told
	 * @param nanoTime the monotonic clock
	 */
	TellStart(WorkerListener listener, LongSupplier nanoTime) {
		this.listener = listener;
		this.nanoTime = nanoTime;
	}

	@Override
	public void around(Attempt attempt, HandlerCall call) throws Exception {
		attempt.marks().called();
		if (attempt.chunk().isFirst()) {
			attempt.chunk().attempts().forEach(this::tell);
		}
		call.run();
	}

	private void tell(Attempt attempt) {
		this.listener.started(attempt.job(), attempt.job().waited().plus(attempt.waited(this.nanoTime.getAsLong())));
	}

}
