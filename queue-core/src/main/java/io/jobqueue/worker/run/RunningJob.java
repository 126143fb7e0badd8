package io.jobqueue.worker.run;

import java.time.Instant;
import java.util.Optional;
import java.util.function.BooleanSupplier;

import io.jobqueue.JobContext;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.worker.attempt.Attempt;
import io.jobqueue.worker.attempt.InterruptReason;

/**
 * What a handler is told of its job.
 */
record RunningJob(long id, String type, String queue, int attempt, int maxAttempts, Instant enqueuedAt,
		Optional<Instant> scheduledFor, Optional<String> orderKey, BooleanSupplier cancelled) implements JobContext {

	static RunningJob of(Attempt attempt) {
		return of(attempt.job(), attempt.maxAttempts(), () -> attempt.reason() == InterruptReason.CANCELLED);
	}

	/**
	 * A job that is not running now.
	 */
	static RunningJob of(ClaimedJob job, int maxAttempts) {
		return of(job, maxAttempts, () -> false);
	}

	private static RunningJob of(ClaimedJob job, int maxAttempts, BooleanSupplier cancelled) {
		return new RunningJob(job.claim().id(), job.type(), job.queue(), job.attempt(), maxAttempts, job.enqueuedAt(),
				Optional.ofNullable(job.scheduledFor()), Optional.ofNullable(job.orderKey()), cancelled);
	}

	@Override
	public boolean isCancelled() {
		return this.cancelled.getAsBoolean();
	}

}
