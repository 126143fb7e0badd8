package io.jobqueue.store;

import java.time.Instant;

import io.jobqueue.NewJob;

import org.jspecify.annotations.Nullable;

/**
 * A job about to be stored: what the application asked for and the payload as text.
 *
 * @param job what the application asked for, already checked
 * @param payload the payload as it will be stored, or null for none
 * @param scheduledFor the tick of the schedule that it belongs to; null for none
 * @param trace the trace that it is enqueued in; null for none
 */
public record EnqueuedJob(NewJob job, @Nullable String payload, @Nullable Instant scheduledFor,
		@Nullable String trace) {

	/**
	 * A job that belongs to no schedule.
	 * @param job what the application asked for, already checked
	 * @param payload the payload as it will be stored, or null for none
	 */
	public EnqueuedJob(NewJob job, @Nullable String payload) {
		this(job, payload, null, null);
	}

	/**
	 * A job of a schedule. Its attempts begin a trace of their own.
	 * @param job what the application asked for, already checked
	 * @param payload the payload as it will be stored, or null for none
	 * @param scheduledFor the tick; null for none
	 */
	public EnqueuedJob(NewJob job, @Nullable String payload, @Nullable Instant scheduledFor) {
		this(job, payload, scheduledFor, null);
	}

	/**
	 * The same job in a trace.
	 * @param other the trace
	 */
	EnqueuedJob in(String other) {
		return new EnqueuedJob(this.job, this.payload, this.scheduledFor, other);
	}

}
