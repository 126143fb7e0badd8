package io.jobqueue;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * Which jobs to list, count or act on: those that meet all that is said here. Immutable.
 *
 * @param state the state; null for any
 * @param queue the queue; null for any
 * @param type the job type; null for any
 * @param orderKey the {@linkplain NewJob#orderKey(String) order key}; null for any
 * @param limitKey the {@linkplain NewJob#limitKey(String) limit key}; null for any
 * @param cause the {@linkplain DeadCause cause} of which they are dead; null for any
 * @param from the earliest time, inclusive: of the end of jobs of a state that has ended,
 * of the enqueue else; null for any
 * @param until the latest time, exclusive; null for any
 */
public record JobFilter(@Nullable JobState state, @Nullable String queue, @Nullable String type,
		@Nullable String orderKey, @Nullable String limitKey, @Nullable Long cause, @Nullable Instant from,
		@Nullable Instant until) {

	/**
	 * Checks the filter.
	 * @throws IllegalArgumentException if a name or key breaks its rule, the range of
	 * time is empty, or a cause is given for a state other than {@link JobState#DEAD}
	 */
	public JobFilter {
		NewJob any = NewJob.of((type != null) ? type : "any");
		if (queue != null) {
			any.queue(queue);
		}
		if (orderKey != null) {
			any.orderKey(orderKey);
		}
		if (limitKey != null) {
			any.limitKey(limitKey);
		}
		if (cause != null && state != JobState.DEAD) {
			throw new IllegalArgumentException("Only dead jobs have a cause, but the state is " + state);
		}
		if (from != null && until != null && !from.isBefore(until)) {
			throw new IllegalArgumentException("from must be before until, but " + from + " is not before " + until);
		}
	}

	/**
	 * All jobs.
	 * @return the filter
	 */
	public static JobFilter all() {
		return new JobFilter(null, null, null, null, null, null, null, null);
	}

	/**
	 * All jobs of a state.
	 * @param state the state
	 * @return the filter
	 */
	public static JobFilter of(JobState state) {
		return new JobFilter(state, null, null, null, null, null, null, null);
	}

	/**
	 * The same, but only jobs of a queue.
	 * @param queue the queue; null for any
	 * @return the filter
	 */
	public JobFilter queue(@Nullable String queue) {
		return new JobFilter(this.state, queue, this.type, this.orderKey, this.limitKey, this.cause, this.from,
				this.until);
	}

	/**
	 * The same, but only jobs of a type.
	 * @param type the type; null for any
	 * @return the filter
	 */
	public JobFilter type(@Nullable String type) {
		return new JobFilter(this.state, this.queue, type, this.orderKey, this.limitKey, this.cause, this.from,
				this.until);
	}

	/**
	 * The same, but only jobs of an order key.
	 * @param orderKey the key; null for any
	 * @return the filter
	 */
	public JobFilter orderKey(@Nullable String orderKey) {
		return new JobFilter(this.state, this.queue, this.type, orderKey, this.limitKey, this.cause, this.from,
				this.until);
	}

	/**
	 * The same, but only jobs of a limit key.
	 * @param limitKey the key; null for any
	 * @return the filter
	 */
	public JobFilter limitKey(@Nullable String limitKey) {
		return new JobFilter(this.state, this.queue, this.type, this.orderKey, limitKey, this.cause, this.from,
				this.until);
	}

	/**
	 * The same, but only jobs that are dead of a cause.
	 * @param cause the {@linkplain DeadCause#id() id} of the cause; null for any
	 * @return the filter
	 */
	public JobFilter cause(@Nullable Long cause) {
		return new JobFilter(this.state, this.queue, this.type, this.orderKey, this.limitKey, cause, this.from,
				this.until);
	}

	/**
	 * The same, but only jobs of a range of time.
	 * @param from the earliest time, inclusive; null for any
	 * @param until the latest time, exclusive; null for any
	 * @return the filter
	 */
	public JobFilter between(@Nullable Instant from, @Nullable Instant until) {
		return new JobFilter(this.state, this.queue, this.type, this.orderKey, this.limitKey, this.cause, from, until);
	}

}
