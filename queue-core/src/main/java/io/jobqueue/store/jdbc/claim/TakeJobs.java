package io.jobqueue.store.jdbc.claim;

import java.util.List;
import java.util.function.LongSupplier;

import io.jobqueue.database.Capability;
import io.jobqueue.database.Database;
import io.jobqueue.database.SkipLockedProbe;
import io.jobqueue.database.UnsupportedDatabaseException;
import io.jobqueue.poison.Load;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.LockWaits;
import io.jobqueue.store.ReadyRange;
import io.jobqueue.store.StoreSettings;

/**
 * A claim strategy: how a claim finds due jobs and makes them its own, such that two
 * claims never take the same job.
 */
public interface TakeJobs {

	/** What a claim writes into a job. */
	String CLAIM = """
			SET state = 1, fence = fence + 1, attempt = attempt + 1, session_id = :session, held_limit = :heldLimit,
			    claimed_at = {now}, deadline_at = {now + :deadline MICROSECOND}
			""";

	/**
	 * The strategy that is to be used.
	 * @param database the database
	 * @param settings which one, and what comes with a job
	 * @param nanoTime the monotonic clock
	 * @throws UnsupportedDatabaseException if the database cannot be used in this way
	 */
	static TakeJobs of(Database database, StoreSettings settings, LongSupplier nanoTime) {
		NextJobs locking = NextJobs.of(database, NextJobs.Look.LOCKING, settings.inlinePayload(), nanoTime);
		SkipLocked skipLocked = new SkipLocked(database, locking);
		NextJobs reading = NextJobs.of(database, NextJobs.Look.READING, settings.inlinePayload(), nanoTime);
		TakeJobs standard = switch (settings.claim()) {
			case AUTO -> new AskDatabase(new SkipLockedProbe(database), skipLocked,
					() -> new CompareAndSet(database, reading, null, nanoTime));
			case SKIP_LOCKED -> skipLocked;
			case COMPARE_AND_SET -> new CompareAndSet(database, reading, locking, nanoTime);
			case UPDATE_LIMIT -> {
				if (!database.can(Capability.UPDATE_IN_ORDER)) {
					throw new UnsupportedDatabaseException("Jobs cannot be claimed by update-limit from "
							+ database.dialect() + ", which ignores the order of an UPDATE");
				}
				yield new UpdateLimit(database, settings.inlinePayload(),
						new CompareAndSet(database, reading, locking, nanoTime), nanoTime);
			}
		};
		return new ByMode(database, standard,
				NextJobs.of(database, NextJobs.Look.NOT_STARTED, settings.inlinePayload(), nanoTime));
	}

	/**
	 * The strategy by which H2 is claimed from: jobs are locked by their ids.
	 */
	static TakeJobs lockingById(Database database, StoreSettings settings) {
		return new SkipLocked(database, new NextJobsById(database, NextJobs.Look.LOCKING, settings.inlinePayload()));
	}

	/**
	 * Finds out what depends on the database; else the first claim does.
	 */
	default void prepare() {
	}

	/**
	 * Whether one statement takes jobs for good. Then statements may commit one by one,
	 * as long as no suspects are concerned, and no job is locked for longer than that
	 * statement takes.
	 */
	default boolean takesByOneStatement() {
		return false;
	}

	/**
	 * Begins to take jobs, in the transaction that is open, if the claim has one.
	 * @param claim the claim that they are for
	 */
	Taking begin(ClaimTransaction claim);

	/**
	 * How long the transaction is to wait for locks.
	 * @return {@link LockWaits#USUAL} for those that never wait
	 */
	LockWaits waits();

	/**
	 * What one claim takes.
	 */
	interface Taking {

		/**
		 * Finds the next due jobs of a range. Asked again for the same range it begins
		 * with the same jobs.
		 * @param range the range
		 * @param limit how many at most
		 * @return the jobs, in the order of the range; some may be gone when they are to
		 * be held or taken
		 */
		List<Candidate> find(ReadyRange range, int limit);

		/**
		 * Locks jobs that are to be archived instead of claimed.
		 * @param jobs jobs that were found
		 * @return those of them that are still as they were found
		 */
		List<Candidate> hold(List<Candidate> jobs);

		/**
		 * Takes jobs.
		 * @param admitted those of the jobs that were found that the worker may hold
		 * @return those that it holds now, in the same order
		 */
		List<ClaimedJob> take(Load.Admitted<ClaimedJob> admitted);

	}

}
