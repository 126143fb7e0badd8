package io.jobqueue.dashboard.api;

import java.time.Instant;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.jobqueue.Job;
import io.jobqueue.JobError;
import io.jobqueue.WaitReason;
import org.jspecify.annotations.Nullable;

/**
 * A job in a list. Ids are texts, since JavaScript's numbers are too short for them.
 *
 * @param id its id
 * @param type its type
 * @param queue its queue
 * @param state its state, in lower case
 * @param priority from 0 to 9
 * @param attempt the number of the current or last attempt
 * @param maxAttempts how many it may have; 0 if nobody knows
 * @param crashes how often a worker died while it held the job
 * @param enqueuedAt when it was enqueued
 * @param availableAt when it may start
 * @param claimedAt when it was last claimed
 * @param finishedAt when it has ended
 * @param scheduledFor the tick of its schedule
 * @param orderKey its order key
 * @param limitKey its limit key
 * @param traceId the trace that it was enqueued in
 * @param waitingFor for what it waits
 * @param error why its last failed attempt failed
 */
record JobSummary(String id, String type, String queue, String state, int priority, int attempt, int maxAttempts,
		int crashes, Instant enqueuedAt, Instant availableAt, @Nullable Instant claimedAt, @Nullable Instant finishedAt,
		@Nullable Instant scheduledFor, @Nullable String orderKey, @Nullable String limitKey, @Nullable String traceId,
		@Nullable Waiting waitingFor, @Nullable Problem error) {

	private static final Pattern TRACE_PARENT = Pattern.compile("(?m)^traceparent: *[0-9a-f]{2}-([0-9a-f]{32})-");

	static JobSummary of(Job job) {
		return new JobSummary(Long.toString(job.id()), job.type(), job.queue(),
				job.state().name().toLowerCase(Locale.ROOT), job.priority(), job.attempt(), job.maxAttempts(),
				job.crashes(), job.enqueuedAt(), job.availableAt(), job.claimedAt(), job.finishedAt(),
				job.scheduledFor(), job.orderKey(), job.limitKey(), traceId(job),
				job.waitingFor().map(Waiting::of).orElse(null), job.lastError().map(Problem::of).orElse(null));
	}

	private static @Nullable String traceId(Job job) {
		Matcher parent = TRACE_PARENT.matcher((job.trace() != null) ? job.trace() : "");
		return parent.find() ? parent.group(1) : null;
	}

	/**
	 * For what a job waits.
	 */
	record Waiting(String kind, String name, @Nullable String jobId) {

		static Waiting of(WaitReason reason) {
			return new Waiting(reason.kind().name().toLowerCase(Locale.ROOT), reason.name(),
					(reason.jobId() != null) ? reason.jobId().toString() : null);
		}

	}

	/**
	 * Why an attempt failed.
	 */
	record Problem(int attempt, Instant at, String type, String message, String stackTrace) {

		static Problem of(JobError error) {
			return new Problem(error.attempt(), error.failedAt(), error.type(), error.message(), error.stackTrace());
		}

	}

}
