package io.jobqueue.store;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

import io.jobqueue.JobCount;
import io.jobqueue.JobFilter;
import io.jobqueue.JobState;
import io.jobqueue.Operation;
import org.jspecify.annotations.Nullable;

/**
 * Where operations on many jobs are, and how far they are. Unless said otherwise, each
 * method is a transaction of its own.
 */
public interface OperationStore {

	/**
	 * Begins an operation.
	 * @param action what is to be done
	 * @param filter to which jobs
	 * @param expected how many there are
	 * @param actor who begins it; may be empty
	 * @return its number
	 */
	long begin(Operation.Action action, JobFilter filter, JobCount expected, String actor);

	/**
	 * Stops an operation that goes on.
	 * @param id its number
	 * @return false if it does not
	 */
	boolean stop(long id);

	/**
	 * Reads operations, the newest first.
	 * @param limit how many at most
	 * @return the operations
	 */
	List<Operation> list(int limit);

	/**
	 * Reads one operation.
	 * @param id its number
	 * @return the operation; empty if there is none
	 */
	Optional<Operation> find(long id);

	/**
	 * Lists operations that go on.
	 * @return their numbers, the oldest first
	 */
	List<Long> running();

	/**
	 * Does a part of an operation, in one transaction with what is written of it. While
	 * another node does, nothing is done.
	 * @param id its number
	 * @param limit how many jobs at most
	 * @return what has come of it
	 */
	Turn turn(long id, int limit);

	/**
	 * Tells which job of an operation is the next one.
	 * @param id its number
	 * @return the job; empty if there is none
	 */
	Optional<Long> next(long id);

	/**
	 * Passes over a job of an operation, which cannot be changed. Nothing is done if it
	 * is not the next one any more, since another node has passed over it.
	 * @param id its number
	 * @param job the job
	 * @param problem why; null if it is locked, so that it is asked for again in the next
	 * pass
	 * @return what has come of it
	 */
	Passed passOver(long id, long job, @Nullable String problem);

	/**
	 * Stops an operation that nobody can work on.
	 * @param id its number
	 * @param problem why
	 */
	void giveUp(long id, String problem);

	/**
	 * Gives a dead job another payload and redrives it, in one transaction.
	 * @param id the job
	 * @param seen the payload that it had when somebody looked at it
	 * @param payload the payload, as it is stored
	 * @return whether it was dead, and had that payload
	 */
	boolean redrive(long id, @Nullable String seen, String payload);

	/**
	 * Cancels a live job that still is in the state in which it was seen.
	 * @param id the job
	 * @param seen the state
	 * @return whether this call cancelled it
	 */
	boolean cancel(long id, JobState seen);

	/**
	 * Changes when a waiting job may start, if that still is the time that was seen.
	 * @param id the job
	 * @param seen when it was to start
	 * @param availableAt when it is to start
	 * @return whether this call did so
	 */
	boolean reschedule(long id, Instant seen, Instant availableAt);

	/**
	 * What was passed over.
	 *
	 * @param goesOn whether the operation goes on
	 * @param passed whether the job was passed over
	 */
	record Passed(boolean goesOn, boolean passed) {

		/** Another node works on it, or it has ended. */
		public static final Passed NOTHING = new Passed(false, false);

	}

	/**
	 * What has come of a part of an operation.
	 *
	 * @param goesOn whether it goes on
	 * @param cancelled the jobs that are cancelled
	 * @param redriven how many jobs are ready again
	 */
	record Turn(boolean goesOn, List<Long> cancelled, int redriven) {

		/** Another node works on it, or it has ended. */
		public static final Turn NOTHING = new Turn(false, List.of(), 0);

	}

}
