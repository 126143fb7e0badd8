package io.jobqueue.worker.run;

import java.util.List;

import io.jobqueue.store.ClaimStore;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.worker.Handler;
import io.jobqueue.worker.attempt.Attempt;
import io.jobqueue.worker.run.RunUnit.HandlerCall;
import io.jobqueue.worker.run.RunUnit.Ran;

import org.jspecify.annotations.Nullable;

/**
 * Runs handlers: finds the payload, puts the interceptors around the call, and runs that
 * in the handler's unit.
 */
public final class HandlerRuns {

	private final ClaimStore store;

	private final RunUnit transactional;

	private final List<RunInterceptor> interceptors;

	/**
	 * Creates the means to run handlers.
	 * @param store where large payloads are
	 * @param transactional the unit of transactional handlers
	 * @param interceptors what is around each call, the outermost first
	 */
	public HandlerRuns(ClaimStore store, RunUnit transactional, List<RunInterceptor> interceptors) {
		this.store = store;
		this.transactional = transactional;
		this.interceptors = List.copyOf(interceptors);
	}

	/**
	 * Runs the handler of an attempt that has started.
	 * @param attempt the attempt
	 * @return what became of the claim
	 * @throws Exception why the attempt failed
	 */
	Ran run(Attempt attempt) throws Exception {
		Handler handler = attempt.handler();
		ClaimedJob job = attempt.job();
		RunningJob context = RunningJob.of(attempt);
		// Read when the job is surely this attempt's: a failure has to count.
		HandlerCall call = RunInterceptor.chain(this.interceptors, attempt,
				() -> handler.invocation().invoke(payload(job), context));
		RunUnit unit = (handler.transactional() || job.isRunInTransaction()) ? this.transactional : RunUnit.PLAIN;
		return unit.run(attempt, call);
	}

	private @Nullable String payload(ClaimedJob job) {
		return job.payload().large() ? largePayload(job) : job.payload().text();
	}

	/**
	 * Reads a large payload. If it is not found, the attempt fails and another follows:
	 * the payload may have been moved, or the server that answered may lag behind.
	 */
	private String largePayload(ClaimedJob job) {
		String payload = this.store.payload(job.claim().id());
		if (payload == null) {
			throw new IllegalStateException("The job's payload is not in the database");
		}
		return payload;
	}

}
