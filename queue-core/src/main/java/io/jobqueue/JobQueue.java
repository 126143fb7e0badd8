package io.jobqueue;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * The application's side of the queue. Safe for use by many threads.
 * <p>
 * Enqueueing joins the transaction that Spring has open on the queue's DataSource: what
 * is rolled back never existed, what is committed will run. Without such a transaction it
 * commits by itself. All other methods that change something run in a short transaction
 * of their own, whatever the caller has open, and retry it after deadlocks.
 * <p>
 * In a callback after a commit or rollback, such as a {@code @TransactionalEventListener}
 * in its default phase, the transaction is over. Jobs that are enqueued there are
 * committed at once, together, whatever became of it, on the connection that Spring still
 * has bound to the thread. What the callback itself has written on that connection before
 * is committed first, and stays committed if the enqueue fails.
 * <p>
 * Unless said otherwise, a method throws Spring's {@code DataAccessException} if the
 * database cannot be reached, and {@link UnknownOutcomeException} if the connection is
 * lost during a commit of its own. All methods but the enqueueing ones may simply be
 * called again then.
 */
public interface JobQueue {

	/**
	 * Enqueues a job without a payload to the default queue.
	 * @param type the job type, matching {@code [A-Za-z0-9._-]{1,64}}
	 * @return the job's id
	 */
	default long enqueue(String type) {
		return enqueue(NewJob.of(type));
	}

	/**
	 * Enqueues a job to the default queue.
	 * @param type the job type, matching {@code [A-Za-z0-9._-]{1,64}}
	 * @param payload the payload, not null
	 * @return the job's id
	 */
	default long enqueue(String type, Object payload) {
		return enqueue(NewJob.of(type, payload));
	}

	/**
	 * Enqueues a job.
	 * @param job the job
	 * @return the job's id; with a unique key that is taken, the id of the job that took
	 * it
	 * @throws IllegalArgumentException if the payload cannot be written or is over the
	 * limit
	 * @throws IllegalStateException in a transaction of another DataSource, whose outcome
	 * the job would not share; or in a callback after a transaction whose manager is no
	 * bean, if it cannot be told whether another one has begun; or if the connection's
	 * character set cannot write the unique key
	 * @throws UnknownOutcomeException if the commit's outcome is unknown, and the
	 * transaction is not the caller's; with a unique key only after three such commits,
	 * or if the repetition after one fails
	 */
	long enqueue(NewJob job);

	/**
	 * Enqueues any number of jobs by multi-row inserts, all in one transaction: the
	 * caller's, or one of its own.
	 * @param jobs the jobs; an empty collection does nothing
	 * @return their ids, in the order given
	 * @throws IllegalArgumentException as {@link #enqueue(NewJob)}, before anything is
	 * written
	 * @throws IllegalStateException as {@link #enqueue(NewJob)}
	 * @throws UnknownOutcomeException if the commit's outcome is unknown, and the
	 * transaction is not the caller's; if all jobs have unique keys only after three such
	 * commits, or if the repetition after one fails
	 */
	List<Long> enqueueAll(Iterable<NewJob> jobs);

	/**
	 * Finds a job, live or archived. Reads in the caller's transaction if there is one,
	 * so that it finds what that has enqueued. At REPEATABLE READ, the default of MySQL
	 * and MariaDB, such a transaction sees the job as it was at its first read: wait for
	 * a job's end outside of transactions.
	 * @param id the job's id
	 * @return the job, or empty if there is none, or if its archive entry was pruned
	 */
	Optional<Job> find(long id);

	/**
	 * Finds the job that holds a unique key, or has held it last. Reads as
	 * {@link #find(long)}.
	 * @param type the job type
	 * @param uniqueKey the key
	 * @return the job, live or archived; empty if the key is free and its last job is no
	 * longer known
	 */
	Optional<Job> findByKey(String type, String uniqueKey);

	/**
	 * Cancels a live job. A ready one will not run. A running one is archived as
	 * cancelled at once: whatever its current attempt does afterwards is discarded, and
	 * that attempt is interrupted, within the heartbeat interval if it runs on another
	 * node. What it has done outside its own transaction up to then has happened. One
	 * that runs in a queue of the mode {@link QueueMode#ROW_LOCK} is not cancelled.
	 * <p>
	 * Takes effect at once, whatever becomes of the caller's transaction. A job that the
	 * caller's own open transaction has enqueued cannot be cancelled in it: roll it back
	 * instead.
	 * @param id the job's id
	 * @return true if this call cancelled it; false if it had ended before, never
	 * existed, or runs in a row-lock queue
	 * @throws org.springframework.dao.DataAccessException if another transaction keeps
	 * the job's row locked for more than five seconds, such as the caller's own
	 */
	boolean cancel(long id);

	/**
	 * Cancels the live job that holds a unique key, as {@link #cancel(long)}. The key
	 * stays taken for as long as it would have been
	 * ({@code jobqueue.unique-key-retention}).
	 * @param type the job type
	 * @param uniqueKey the key
	 * @return true if this call cancelled a job
	 * @throws org.springframework.dao.DataAccessException as {@link #cancel(long)}
	 */
	boolean cancelByKey(String type, String uniqueKey);

	/**
	 * Cancels all live jobs of one queue and type, running ones included (but not those
	 * that run in row-lock queues), each as {@link #cancel(long)}, in batches of one
	 * transaction each. Jobs that are enqueued meanwhile are left alone.
	 * @param queue the queue's name, or null for every queue
	 * @param type the job type, or null for every type; not both null
	 * @return how many were cancelled
	 * @throws IllegalArgumentException if a name breaks the rule of queues and types, or
	 * both are null
	 * @throws org.springframework.dao.DataAccessException if another transaction keeps a
	 * row locked for more than five seconds; the others are cancelled
	 */
	int cancelAll(@Nullable String queue, @Nullable String type);

	/**
	 * Changes when a waiting job may start: one that is not yet due, one that is due and
	 * was not claimed, or one that waits for its next attempt. Takes effect at once,
	 * whatever becomes of the caller's transaction. Its expiry and its unique key's time
	 * stay as they are.
	 * @param id the job's id
	 * @param availableAt the earliest time at which it may start; one that is over means
	 * at once
	 * @return true if this call did so; false if the job runs, has ended, or does not
	 * exist
	 * @throws IllegalArgumentException if the time is not from 1970 to the year 9000
	 * @throws org.springframework.dao.DataAccessException as {@link #cancel(long)}
	 */
	boolean reschedule(long id, Instant availableAt);

	/**
	 * Makes a dead job ready again, with its id, no attempts counted, and available at
	 * once. It has no expiry any more, and does not take its unique key again.
	 * @param id the job's id
	 * @return true if this call did so; false if there is no such dead job
	 */
	boolean redrive(long id);

	/**
	 * Makes all dead jobs of one queue and type ready again, in batches of one
	 * transaction each. Jobs that die again meanwhile are not redriven twice.
	 * @param queue the queue's name, or null for every queue
	 * @param type the job type, or null for every type
	 * @return how many were redriven
	 * @throws IllegalArgumentException if a name breaks the rule of queues and types
	 */
	int redrive(@Nullable String queue, @Nullable String type);

	/**
	 * Pauses a queue on every node: no claim that begins after this returns takes a job
	 * of it. Jobs that run go on; those that a worker has claimed and not started are
	 * released, on other nodes within the heartbeat interval. Pausing a paused queue
	 * changes nothing.
	 * @param queue the queue's name
	 * @throws IllegalArgumentException if the name breaks the rule of queues
	 */
	void pause(String queue);

	/**
	 * Resumes a paused queue. Resuming one that is not paused changes nothing.
	 * @param queue the queue's name
	 * @throws IllegalArgumentException if the name breaks the rule of queues
	 */
	void resume(String queue);

	/**
	 * Lists the {@linkplain NewJob#orderKey(String) order keys} that are blocked by the
	 * death of a job, the longest blocked first.
	 * @param limit how many at most, from 1 on
	 * @return the keys
	 * @see OnDead#BLOCK
	 */
	List<BlockedKey> blockedKeys(int limit);

	/**
	 * Lets the jobs of a blocked order key run, without the dead one that blocks it. To
	 * run that one first, {@linkplain #redrive(long) redrive} it instead.
	 * @param orderKey the key
	 * @return true if this call did so; false if the key is not blocked
	 * @throws IllegalArgumentException if it breaks the rules of keys
	 */
	default boolean unblock(String orderKey) {
		return unblock(orderKey, null);
	}

	/**
	 * Does so if it is a certain dead job that blocks the key: the one that somebody has
	 * looked at.
	 * @param orderKey the key
	 * @param deadJob the id of that job; null for any
	 * @return true if this call did so; false if that job does not block the key
	 * @throws IllegalArgumentException if the key breaks the rules of keys
	 */
	boolean unblock(String orderKey, @Nullable Long deadJob);

}
