package io.jobqueue;

import java.time.Instant;

/**
 * Why an attempt failed.
 *
 * @param attempt the number of the attempt, from 1
 * @param failedAt when the failure was stored, by the database's clock
 * @param type the class name of the exception, or a word of the queue's own:
 * {@code crash} (the worker died), {@code timeout}, {@code shutdown}, {@code outage} (the
 * database was lost), {@code rescue}, {@code row} (a value in the row is invalid) or
 * {@code type} (no handler can have this type)
 * @param message what the exception said, shortened to 2,000 characters; may be empty
 * @param stackTrace the stack trace, shortened; may be empty
 */
public record JobError(int attempt, Instant failedAt, String type, String message, String stackTrace) {

}
