package io.jobqueue.store.jdbc.limit;

import io.jobqueue.store.LimitKey;

/**
 * The row of an allowance, locked.
 *
 * @param key which one
 * @param bookedUntil up to when starts are used up, in nanoseconds since 1970
 * @param anyWait whether jobs wait for a place
 * @param isLookedAt whether it is written down when a job that waits may start
 */
public record Allowance(LimitKey key, long bookedUntil, boolean anyWait, boolean isLookedAt) {

}
