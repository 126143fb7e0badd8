package io.jobqueue;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * An {@linkplain NewJob#orderKey(String) order key} whose jobs wait because one of them
 * is dead ({@link OnDead#BLOCK}).
 *
 * @param orderKey the key
 * @param jobId the dead job
 * @param blockedAt since when, by the database's clock
 * @param error why that job's last attempt failed, without the stack trace; null if
 * nothing is known of it any more
 */
public record BlockedKey(String orderKey, long jobId, Instant blockedAt, @Nullable JobError error) {

}
