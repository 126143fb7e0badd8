package io.jobqueue.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import io.jobqueue.AttemptFailure;
import io.jobqueue.JobContext;
import io.jobqueue.JobInterceptor;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Failure;
import io.jobqueue.store.Finish;
import io.jobqueue.worker.Extensions;
import io.jobqueue.worker.Outcome;
import io.jobqueue.worker.WorkerListener;
import org.jspecify.annotations.Nullable;

/**
 * Writes down what runs, and what the handlers throw. For one thread.
 */
final class RunRecorder implements WorkerListener, JobInterceptor {

	private final List<JobRun> runs = new ArrayList<>();

	/** By job. */
	private final Map<Long, Throwable> thrown = new HashMap<>();

	/**
	 * The application's extensions with this beside them.
	 */
	Extensions beside(Extensions extensions) {
		// The innermost, which sees what the handler itself throws.
		return new Extensions(WorkerListener.all(List.of(this, extensions.listener())),
				Stream.concat(extensions.interceptors().stream(), Stream.of(this)).toList(), extensions.observer());
	}

	JobRuns runs(Set<String> withoutHandler) {
		return new JobRuns(this.runs, withoutHandler);
	}

	int count() {
		return this.runs.size();
	}

	@Override
	public void around(JobContext job, Call handler) throws Exception {
		this.thrown.remove(job.id());
		try {
			handler.proceed();
		}
		catch (Throwable ex) {
			this.thrown.put(job.id(), ex);
			throw ex;
		}
	}

	@Override
	public void finished(ClaimedJob job, Outcome outcome, Duration duration, @Nullable Finish how) {
		Throwable thrown = this.thrown.remove(job.claim().id());
		this.runs.add(new JobRun(job.claim().id(), job.type(), job.attempt(), JobRun.Outcome.valueOf(outcome.name()),
				failure(how), thrown));
	}

	private static @Nullable AttemptFailure failure(@Nullable Finish how) {
		if (how instanceof Finish.Retry retry) {
			return failure(retry.failure());
		}
		return (how instanceof Finish.DeadLetter dead) ? failure(dead.failure()) : null;
	}

	private static AttemptFailure failure(Failure failure) {
		return new AttemptFailure(failure.type(), failure.message(), failure.stackTrace());
	}

}
