package io.jobqueue.worker.run;

import java.time.Instant;

import io.jobqueue.JobContext;
import io.jobqueue.store.ClaimedJob;

/**
 * What a handler is told of its job.
 */
record RunningJob(long id, String type, String queue, int attempt, int maxAttempts,
		Instant enqueuedAt) implements JobContext {

	static RunningJob of(ClaimedJob job, int maxAttempts) {
		return new RunningJob(job.claim().id(), job.type(), job.queue(), job.attempt(), maxAttempts, job.enqueuedAt());
	}

}
