package io.jobqueue;

import java.time.Instant;

/**
 * Why jobs are dead: they had the same type of error, at the same place in the code, with
 * the same message but for numbers and ids.
 *
 * @param id what the cause is known by, see {@link JobFilter#cause}; the same on all
 * nodes and for all time
 * @param errorType the class of the exception, or a word of the queue's own
 * @param place the method in which it happened; may be empty
 * @param message what was said, with {@code #} in place of numbers and ids; may be empty
 * @param jobs how many jobs are dead by it, counted up to 10,000
 * @param firstAt when the first job died by it, by the database's clock
 * @param lastAt when the last one did
 */
public record DeadCause(long id, String errorType, String place, String message, JobCount jobs, Instant firstAt,
		Instant lastAt) {

}
