package io.jobqueue;

import java.time.Instant;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * A job as it stands in the database, live or archived. All times are the database's.
 *
 * @param id the job's id. It stays the same, unless somebody truncates the table of live
 * jobs: an archived job whose id is used again gets another one
 * @param type the stable string that names its handler
 * @param queue the queue it waits or waited in
 * @param state where it is in its life
 * @param priority from 0, lowest, to 9, highest
 * @param attempt the number of the current or last attempt, which each claim raises; 0 if
 * it was never claimed, or if no attempt counted
 * @param maxAttempts how many attempts it may have, the first included: what it was
 * enqueued with or, if that is nothing, what the handler of its type says now; 0 if no
 * worker has had a handler of its type
 * @param crashes how often a worker died while it held the job
 * @param payload the payload as stored, or null if there is none
 * @param enqueuedAt when it was enqueued
 * @param availableAt the earliest time at which it may be claimed
 * @param claimedAt when it was last claimed, or null
 * @param finishedAt when it was archived, or null while it is live
 * @param error why the last failed attempt failed, or null if none did
 * @param scheduledFor the tick of the {@linkplain Schedules schedule} that it belongs to,
 * or null if it belongs to none
 * @param orderKey the {@linkplain NewJob#orderKey(String) order key}, or null for none
 * @param limitKey the {@linkplain NewJob#limitKey(String) limit key}, or null for none
 * @param trace the trace that it was enqueued in, as headers ({@code name: value}), one
 * in each line, most often W3C's {@code traceparent}; null for none
 * @param waitReason for what it waits while it is {@link JobState#WAITING}; of a job that
 * is due and whose type has a limit, that limit, unless it waits for a slot only; else
 * null
 */
public record Job(long id, String type, String queue, JobState state, int priority, int attempt, int maxAttempts,
		int crashes, @Nullable String payload, Instant enqueuedAt, Instant availableAt, @Nullable Instant claimedAt,
		@Nullable Instant finishedAt, @Nullable JobError error, @Nullable Instant scheduledFor,
		@Nullable String orderKey, @Nullable String limitKey, @Nullable String trace, @Nullable WaitReason waitReason) {

	/**
	 * Why the last failed attempt failed, even if a later one succeeded.
	 * @return the error, or empty if no attempt failed
	 */
	public Optional<JobError> lastError() {
		return Optional.ofNullable(this.error);
	}

	/**
	 * Why the job waits, although nothing but other jobs keeps it from running.
	 * @return for what; empty if it does not wait for others
	 */
	public Optional<WaitReason> waitingFor() {
		return Optional.ofNullable(this.waitReason);
	}

}
