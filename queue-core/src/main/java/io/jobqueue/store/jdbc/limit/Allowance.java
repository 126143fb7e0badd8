package io.jobqueue.store.jdbc.limit;

import java.time.LocalDateTime;

import io.jobqueue.store.LimitKey;

/**
 * The row of an allowance, locked.
 *
 * @param key which one
 * @param bookedUntil up to when starts are used up, in nanoseconds since 1970
 * @param anyWait whether jobs wait for a place
 * @param lookAt when a job that waits may start; {@link #NEVER} if that does not depend
 * on time
 */
public record Allowance(LimitKey key, long bookedUntil, boolean anyWait, LocalDateTime lookAt) {

	static final LocalDateTime NEVER = LocalDateTime.of(9999, 12, 31, 0, 0);

	boolean isLookedAt() {
		return this.lookAt.isBefore(NEVER);
	}

	/** Writes down that it does not depend on time whether a job may start. */
	Booking lookNoMore() {
		return new Booking(this.key, this.bookedUntil, Booking.NOT_FROM_NOW, 0, NEVER);
	}

}
