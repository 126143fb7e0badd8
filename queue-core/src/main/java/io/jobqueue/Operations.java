package io.jobqueue;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * What is done to many jobs at once, however many they are: in the background, some at a
 * time. If the node that works on it dies, another one goes on where it was. Jobs that
 * die after an operation was begun, or get a new id, are not concerned. A cancel may meet
 * a job with an older id that comes meanwhile: one that is redriven, or whose transaction
 * was still open.
 * <p>
 * Safe for use by many threads. Each call commits by itself, and throws Spring's
 * {@code DataAccessException} if the database cannot be reached. Each is written to the
 * {@link AuditLog audit}.
 */
public interface Operations {

	/**
	 * Begins to redrive dead jobs.
	 * @param filter which jobs; its state is {@link JobState#DEAD}
	 * @return the operation
	 * @throws IllegalArgumentException if the filter is of another state
	 */
	Operation redrive(JobFilter filter);

	/**
	 * Begins to cancel live jobs. Those that run in queues of the mode row-lock cannot be
	 * cancelled. Jobs that are enqueued later are not concerned; one that was there
	 * before and comes into this state meanwhile may be.
	 * @param filter which jobs; of a state that is live, and more than that: a queue, a
	 * type or a key
	 * @return the operation
	 * @throws IllegalArgumentException if the filter is of another state, or of all jobs
	 * of a state
	 */
	Operation cancel(JobFilter filter);

	/**
	 * Cancels one live job, as {@link JobQueue#cancel(long)}, if it still is in the state
	 * in which somebody has seen it: one that was ready may run by now.
	 * @param id the job
	 * @param seen the state, a live one
	 * @return false if it is in another state, has ended, or runs in a queue of the mode
	 * row-lock
	 * @throws IllegalArgumentException if the state is none of a live job
	 */
	boolean cancel(long id, JobState seen);

	/**
	 * Changes when a waiting job may start, as
	 * {@link JobQueue#reschedule(long, Instant)}, if that still is the time that somebody
	 * has seen: somebody else may have changed it meanwhile.
	 * @param id the job
	 * @param seen when it was to start, as {@link Job#availableAt()} said
	 * @param availableAt the earliest time at which it may start; one that is over means
	 * at once
	 * @return false if it has another time by now, runs, has ended, or does not exist
	 * @throws IllegalArgumentException if the time is not from 1970 to the year 9000
	 */
	boolean reschedule(long id, Instant seen, Instant availableAt);

	/**
	 * Stops an operation. What it has done stays done.
	 * @param id its number
	 * @return false if it does not go on
	 */
	boolean stop(long id);

	/**
	 * Tells how an operation stands.
	 * @param id its number
	 * @return the operation; empty if there is none
	 */
	Optional<Operation> find(long id);

	/**
	 * Lists operations, the newest first.
	 * @param limit how many at most, from 1 to 1,000
	 * @return the operations
	 * @throws IllegalArgumentException if the limit is out of range
	 */
	List<Operation> list(int limit);

	/**
	 * Gives a dead job another payload, and redrives it: for a payload that its handler
	 * cannot read.
	 * @param id the job
	 * @param seen the payload that it had when somebody looked at it; null for none
	 * @param payload the payload as it is stored: JSON, where the application's payloads
	 * are. Nobody checks here whether a handler can read it
	 * @return false if the job is not dead, or has another payload than was seen; nothing
	 * was changed then
	 * @throws IllegalArgumentException if the payload is over the limit
	 */
	boolean redrive(long id, @Nullable String seen, String payload);

}
