package io.jobqueue.store.jdbc.limit;

import java.time.LocalDateTime;

import io.jobqueue.store.LimitKey;

/**
 * What is written of an allowance: starts are used up to the later one of two times, and
 * for some time more.
 *
 * @param key which allowance
 * @param used one of the times, in nanoseconds since 1970
 * @param fromNow the other one, in nanoseconds from the moment of writing
 * @param more how much more, in nanoseconds
 * @param lookAt when a job that waits may start
 */
public record Booking(LimitKey key, long used, long fromNow, long more, LocalDateTime lookAt) {

	/** So long ago that the other time is the later one. */
	static final long NOT_FROM_NOW = Long.MIN_VALUE / 2;

}
