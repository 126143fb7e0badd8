package io.jobqueue.spring.actuate;

import java.time.Instant;
import java.util.Locale;

import io.jobqueue.Job;
import io.jobqueue.JobError;
import io.jobqueue.WaitReason;
import org.jspecify.annotations.Nullable;

/**
 * One job, as the endpoint shows it: without its payload.
 */
public record JobView(long id, String type, String queue, String state, int priority, int attempt, int maxAttempts,
		int crashes, Instant enqueuedAt, Instant availableAt, @Nullable Instant claimedAt, @Nullable Instant finishedAt,
		@Nullable Instant scheduledFor, @Nullable String orderKey, @Nullable String limitKey, @Nullable String trace,
		@Nullable WaitReason waitingFor, @Nullable JobError lastError) {

	static JobView of(Job job) {
		return new JobView(job.id(), job.type(), job.queue(), job.state().name().toLowerCase(Locale.ROOT),
				job.priority(), job.attempt(), job.maxAttempts(), job.crashes(), job.enqueuedAt(), job.availableAt(),
				job.claimedAt(), job.finishedAt(), job.scheduledFor(), job.orderKey(), job.limitKey(), job.trace(),
				job.waitReason(), job.lastError().orElse(null));
	}

}
