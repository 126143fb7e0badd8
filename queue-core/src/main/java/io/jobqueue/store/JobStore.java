package io.jobqueue.store;

import java.time.Duration;
import java.time.LocalDateTime;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import io.jobqueue.Job;
import io.jobqueue.JobState;
import io.jobqueue.retry.RetryPolicy;

import org.jspecify.annotations.Nullable;

/**
 * The life of a job, one method per transition. Unless said otherwise, each runs in a
 * transaction of its own, at READ COMMITTED, and is repeated as a whole after a deadlock
 * or lock-wait timeout.
 */
public interface JobStore extends QuarantineStore, MaintenanceStore {

	/**
	 * Stores new jobs in the caller's transaction, or in one of its own.
	 * @param jobs the jobs
	 * @return what was stored, and under which ids
	 */
	Enqueued enqueue(List<EnqueuedJob> jobs);

	/**
	 * Lists the ranges that have ready jobs, due or not, except those of paused queues.
	 * @param sessionId the worker's session
	 * @param typeIds the numbers of the types whose jobs are asked for where they were
	 * sorted out
	 * @param inTransaction whether to read where the writes go, which takes more round
	 * trips than one plain read
	 * @return the ranges, in no particular order
	 */
	Ranges ready(long sessionId, Collection<Integer> typeIds, boolean inTransaction);

	/**
	 * Makes all plain reads part of a transaction from now on, since those outside of one
	 * go to another server, which lags behind.
	 */
	void readInTransactions();

	/**
	 * Claims due jobs for a worker. Jobs that have expired are archived as such on the
	 * way.
	 * @param request what to claim
	 * @return the jobs now held, in the order in which they are to run
	 */
	List<ClaimedJob> claim(ClaimRequest request);

	/**
	 * Moves ready jobs that are not for this worker, and have stood in its way for some
	 * time, to ranges of their own types. Workers that know the type claim them from
	 * there.
	 * @param range a range of jobs of any type
	 * @param types the types that are this worker's
	 * @param age how long ago they have become due at least
	 * @param limit how many jobs to look at, from the first on
	 * @return the types of the jobs that were moved; empty if none was
	 */
	Set<String> sortOut(ReadyRange range, Set<String> types, Duration age, int limit);

	/**
	 * Writes down what a worker's handlers say of their types, so that nodes without them
	 * know it too, and finds the types' numbers.
	 * @param retries when to try jobs again, by type
	 * @return the numbers of the types
	 */
	Map<String, Integer> registerTypes(Map<String, RetryPolicy> retries);

	/**
	 * Finds out when jobs of a type are to be tried again.
	 * @param type the type
	 * @return what the last worker said that had a handler for it; empty if none ever did
	 */
	Optional<RetryPolicy> retryOf(String type);

	/**
	 * Writes down how long an application wants archived jobs to be kept, and finds out
	 * how long they have to be: as long as any application wants that was heard of in the
	 * last thirty days.
	 * @param application the application's name
	 * @param own how long it wants them to be kept, by state
	 * @return how long they have to be kept, for the same states
	 */
	Map<JobState, Duration> retention(String application, Map<JobState, Duration> own);

	/**
	 * Lists the types whose ready jobs were sorted out, and the queues that they wait in.
	 * @param limit how many at most
	 * @return the pairs of type and queue
	 */
	List<TypeInQueue> sortedOut(int limit);

	/**
	 * Reads a large payload.
	 * @param jobId the job's id
	 * @return the payload, or null if it is gone
	 */
	@Nullable String payload(long jobId);

	/**
	 * Ends claims, all in one transaction. Jobs that another transaction has locked are
	 * passed over, so that one of them does not hold up the others.
	 * @param finishes how each ends
	 * @return the claims for which nothing was written, because they were not current any
	 * more, or locked
	 */
	Set<Claim> finish(Collection<? extends Finish> finishes);

	/**
	 * Acks one job as part of the caller's transaction, which must be open on the queue's
	 * DataSource.
	 * @param claim the claim to end
	 * @return false if it was not current any more; the caller must then roll back
	 */
	boolean ackInTransaction(Claim claim);

	/**
	 * Lists what a session holds.
	 * @param sessionId the session
	 * @param inTransaction whether to read where the writes go, which takes more round
	 * trips; else claims may be missing that were committed, and there that have ended
	 * @return its current claims
	 */
	List<Claim> heldBy(long sessionId, boolean inTransaction);

	/**
	 * Cancels a live job.
	 * @param id its id
	 * @return whether this call cancelled it
	 */
	boolean cancel(long id);

	/**
	 * Makes dead jobs ready again.
	 * @param ids their ids
	 * @return how many of them were dead and are ready now
	 */
	int redrive(Collection<Long> ids);

	/**
	 * Lists dead jobs, the longest dead first.
	 * @param queue the queue, or null for every queue
	 * @param type the type, or null for every type
	 * @param after the id after which to go on, in a list that is kept by time and id;
	 * null to start
	 * @param until the time after which the dead are not listed
	 * @param limit how many at most
	 * @return where each stands in that list
	 */
	List<DeadJob> dead(@Nullable String queue, @Nullable String type, @Nullable DeadJob after, LocalDateTime until,
			int limit);

	/**
	 * Reads the database's clock.
	 * @return the time in UTC
	 */
	LocalDateTime now();

	/**
	 * Finds a job, live or archived, in one statement, as part of the caller's
	 * transaction if there is one.
	 * @param id its id
	 * @return the job, or empty
	 */
	Optional<Job> find(long id);

	/**
	 * What was read of the ready jobs.
	 *
	 * @param ranges the ranges, in no particular order
	 * @param beats how many heartbeats of the worker's session that read has seen; -1 if
	 * it has not seen the session, {@code Long.MAX_VALUE} if it tells nothing about that
	 */
	record Ranges(List<ReadyRange> ranges, long beats) {

	}

	/**
	 * A type and a queue that has jobs of it.
	 *
	 * @param type the type
	 * @param queue the queue
	 */
	record TypeInQueue(String type, String queue) {

	}

	/**
	 * Where a dead job stands in the list of the dead.
	 *
	 * @param id its id
	 * @param finishedAt when it died, in UTC
	 */
	record DeadJob(long id, LocalDateTime finishedAt) {

	}

}
