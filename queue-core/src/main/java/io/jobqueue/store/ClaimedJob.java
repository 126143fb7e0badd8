package io.jobqueue.store;

import java.time.Duration;
import java.time.Instant;

import io.jobqueue.QueueMode;
import io.jobqueue.poison.Suspicion;

import org.jspecify.annotations.Nullable;

/**
 * A job as a claim returned it.
 *
 * @param claim the claim on it
 * @param type its type
 * @param range where it stood in the claim index
 * @param attempt the number of the attempt that the claim is for
 * @param maxAttempts what the job itself allows; 0 for the handler's own
 * @param timeout what the job itself allows; zero for the handler's own
 * @param suspicion what is known against it
 * @param enqueuedAt when it was enqueued
 * @param waited how long it waited after it became available
 * @param payload its payload, or where that is
 * @param scheduledFor the tick of its schedule; null for none
 * @param orderKey its order key; null for none
 * @param trace the trace that it was enqueued in; null for none
 * @param limitKey its limit key, if that was asked for its place; null for none
 */
public record ClaimedJob(Claim claim, String type, ReadyRange range, int attempt, int maxAttempts, Duration timeout,
		Suspicion suspicion, Instant enqueuedAt, Duration waited, Payload payload, @Nullable Instant scheduledFor,
		@Nullable String orderKey, @Nullable String trace, @Nullable String limitKey) {

	/**
	 * A job that belongs to no schedule and has neither order key nor trace.
	 */
	public ClaimedJob(Claim claim, String type, ReadyRange range, int attempt, int maxAttempts, Duration timeout,
			Suspicion suspicion, Instant enqueuedAt, Duration waited, Payload payload) {
		this(claim, type, range, attempt, maxAttempts, timeout, suspicion, enqueuedAt, waited, payload, null, null,
				null, null);
	}

	/**
	 * The same job with what few jobs have.
	 * @param tick the tick of its schedule; null for none
	 * @param key its order key; null for none
	 * @param sentIn the trace that it was enqueued in; null for none
	 */
	public ClaimedJob with(@Nullable Instant tick, @Nullable String key, @Nullable String sentIn) {
		return new ClaimedJob(this.claim, this.type, this.range, this.attempt, this.maxAttempts, this.timeout,
				this.suspicion, this.enqueuedAt, this.waited, this.payload, tick, key, sentIn, this.limitKey);
	}

	/**
	 * The same job with the limit key that has given it a place.
	 * @param key the key
	 */
	public ClaimedJob withLimitKey(String key) {
		return new ClaimedJob(this.claim, this.type, this.range, this.attempt, this.maxAttempts, this.timeout,
				this.suspicion, this.enqueuedAt, this.waited, this.payload, this.scheduledFor, this.orderKey,
				this.trace, key);
	}

	/**
	 * The same job, which has become available at this moment.
	 */
	public ClaimedJob withoutWait() {
		return new ClaimedJob(this.claim, this.type, this.range, this.attempt, this.maxAttempts, this.timeout,
				this.suspicion, this.enqueuedAt, Duration.ZERO, this.payload, this.scheduledFor, this.orderKey,
				this.trace, this.limitKey);
	}

	/**
	 * Its queue.
	 */
	public String queue() {
		return this.range.queue();
	}

	/**
	 * Whether it is not claimed, but stays locked while it runs: then its claim is the
	 * one that it would have.
	 */
	public boolean isRowLock() {
		return this.range.isRowLock();
	}

	/**
	 * Whether its handler runs in a transaction, whatever that says of itself: also that
	 * of a suspect, which is claimed.
	 */
	public boolean isRunInTransaction() {
		return this.range.mode() == QueueMode.ROW_LOCK;
	}

	/**
	 * A claimed job's payload. Large ones are read only when the job starts, so that what
	 * waits in memory is small.
	 *
	 * @param text the payload, or null if there is none or it is large
	 * @param large whether it is still to be read
	 */
	public record Payload(@Nullable String text, boolean large) {

	}

}
