package io.jobqueue.store;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * What a worker asks for: which jobs are ready, claims, and what belongs to them.
 */
public interface ClaimStore extends FinishStore, QuarantineStore {

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
	 * Finds out how jobs are to be claimed from this database, where nobody has said so;
	 * else the first claim does.
	 */
	void prepareClaims();

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
	 * @return the types of the jobs that were moved; empty if none was, as when all are
	 * locked
	 */
	Set<String> sortOut(ReadyRange range, Set<String> types, Duration age, int limit);

	/**
	 * Writes down what a worker's handlers say of their types, so that nodes without them
	 * know it too, and finds the types' numbers.
	 * @param rules what they say, by type
	 * @return the numbers of the types
	 */
	Map<String, Integer> registerTypes(Map<String, TypeRules> rules);

	/**
	 * Says again which limits types have, so that nobody takes them away.
	 * @param rules what the handlers of the types say
	 * @return false if the types have to be registered again
	 */
	boolean keepLimits(Map<String, TypeRules> rules);

	/**
	 * Reads a large payload.
	 * @param jobId the job's id
	 * @return the payload, or null if it is gone
	 */
	@Nullable String payload(long jobId);

	/**
	 * Acks one job as part of the caller's transaction, which must be open on the queue's
	 * DataSource.
	 * @param claim the claim to end
	 * @param ordered whether the job has an order key
	 * @return false if it was not current any more; the caller must then roll back
	 */
	boolean ackInTransaction(Claim claim, boolean ordered);

	/**
	 * ack of several jobs in the caller's transaction, all or none.
	 * @param claims the claims
	 * @return those that are no longer current. If there are any nothing was written, and
	 * the transaction must be rolled back
	 */
	Set<Claim> ackInTransaction(List<Claim> claims);

	/**
	 * Ends claims like {@link #finish(Collection, LockWaits)}, and lets the next jobs of
	 * the order keys of acked jobs run. Where that cannot be done in the same transaction
	 * it is left to others, as it is by every other way in which jobs end.
	 * @param finishes how each ends
	 * @param waits how long to wait for other locks
	 * @param next whether to claim the next jobs
	 * @return what has become of it
	 */
	Finished finish(Collection<? extends Finish> finishes, LockWaits waits, ClaimNext next);

	/**
	 * Lists what a session holds.
	 * @param sessionId the session
	 * @param inTransaction whether to read where the writes go, which takes more round
	 * trips; else claims may be missing that were committed, and there that have ended
	 * @return its current claims
	 */
	List<Claim> heldBy(long sessionId, boolean inTransaction);

	/**
	 * Lets nobody take jobs from their worker because their deadlines have passed; only
	 * its session counts from now on. Jobs that another transaction has locked are passed
	 * over, as they are by those who would take them.
	 * @param claims the claims; nothing happens to those that are not current
	 */
	void dropDeadlines(Collection<Claim> claims);

	/**
	 * What was read of the ready jobs.
	 *
	 * @param ranges the ranges, in no particular order
	 * @param ordersChanged whether jobs with order keys have come or ended, and nobody
	 * has seen to it yet
	 * @param limitsDue whether a job that waits for its limit key may start now, because
	 * time has passed
	 * @param unknownTypes numbers of types under which ready jobs stand, and which nobody
	 * has registered, or whose rows are gone
	 * @param beats how many heartbeats of the worker's session that read has seen; -1 if
	 * it has not seen the session, {@code Long.MAX_VALUE} if it tells nothing about that
	 */
	record Ranges(List<ReadyRange> ranges, boolean ordersChanged, boolean limitsDue, Set<Integer> unknownTypes,
			long beats) {

	}

}
