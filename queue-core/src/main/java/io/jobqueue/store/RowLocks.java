package io.jobqueue.store;

import java.time.Duration;
import java.util.Set;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

/**
 * Jobs of row-lock queues while they run. Nobody claims them: the transaction of the
 * handler locks the job's row, and a start record, committed before, says who does.
 */
public interface RowLocks {

	/**
	 * Begins a job: commits its start record on the caller's connection, and locks its
	 * row in the transaction that the caller has open there. Nothing else may have been
	 * done in that.
	 * @param job the job, as it was found
	 * @param timeout how long it may run; zero for any time
	 * @return what holds it, or null if somebody else has it, or it has changed; the
	 * caller must roll back then
	 */
	@Nullable Hold begin(ClaimedJob job, Duration timeout);

	/**
	 * Makes an ordinary claim of a job whose row nobody has locked, in a transaction of
	 * its own.
	 * @param job the job, as it was found
	 * @param most how long it may stay claimed
	 * @return false if it has ended or changed, or its row is locked
	 */
	boolean claim(ClaimedJob job, Duration most);

	/**
	 * Lets {@link #endGone} of this node close the connection of a job that was begun and
	 * is over, if its row is still locked: the connection is lost, and only its server
	 * does not know it. Nothing happens here, for it may be the server that is away.
	 * @param job the job
	 */
	void giveUp(ClaimedJob job);

	/**
	 * Lists the jobs that a session has begun and whose ends are not committed.
	 * @param sessionId the session
	 * @param inTransaction whether to read where the writes go; else records may be
	 * missing that were committed
	 * @return their claims, as far as nobody has found their rows unlocked
	 */
	Set<Claim> begunBy(long sessionId, boolean inTransaction);

	/**
	 * Looks for jobs that were begun and whose rows are not locked: their connections
	 * were lost while they ran. They become ready under suspicion.
	 * @return how many there were
	 */
	int freeLost();

	/**
	 * Sees to what sessions that have ended have begun. Where the row is still locked the
	 * connection is closed; where it is free the job becomes that session's ordinary
	 * claim, for rescue to take back. Connections of jobs that are past their deadlines,
	 * or were given up here, are closed too; a row that is free becomes a suspect then,
	 * as does one whose worker has stopped in order.
	 * @param elapsed takes from a time by the database's clock what the clock has jumped
	 * @return how many jobs are now claims of sessions that have ended
	 */
	int endGone(UnaryOperator<Duration> elapsed);

	/**
	 * Holds a job whose row is locked by the caller's transaction.
	 */
	interface Hold {

		/**
		 * Acks the job as part of the caller's transaction.
		 * @return false if it is not as it was; the caller must then roll back
		 */
		boolean ack();

		/**
		 * Makes an ordinary claim of the job, and commits that. What else was done in the
		 * caller's transaction must have been undone, such that the row is still locked.
		 * @param most how long the job may stay claimed
		 * @return false if it is not as it was
		 */
		boolean claim(Duration most);

		/**
		 * Leaves the connection as it was. To be called before a rollback.
		 */
		void letGo();

	}

}
