package io.jobqueue.store.jdbc.claim;

import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;

import io.jobqueue.database.Capability;
import io.jobqueue.database.Database;
import io.jobqueue.database.StateCode;
import io.jobqueue.store.ReadyRange;

import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Finds the next due jobs of a range of the claim index. A queue that is paused before
 * the statement starts yields nothing.
 */
interface NextJobs {

	/** Which jobs of a range are due. */
	String DUE = """
			WHERE state = :state AND type_id = :typeId AND queue = :queue AND priority = :priority
			    AND available_at <= {now} AND (:everyType = 1 OR type IN (:types))
			    AND NOT EXISTS (SELECT 1 FROM jobqueue_queue WHERE name = :queue AND paused = 1)
			""";

	/** A list in SQL must not be empty. */
	Set<String> NO_TYPE = Set.of("-");

	/**
	 * The way for a database.
	 * @param database the database
	 * @param locks whether the jobs are locked until the transaction ends
	 * @param inlinePayload the largest payload that comes with its job, in bytes
	 * @param nanoTime the monotonic clock
	 */
	static NextJobs of(Database database, boolean locks, int inlinePayload, LongSupplier nanoTime) {
		return database.can(Capability.LOCK_ONLY_WHAT_IS_READ)
				? new NextJobsInOrder(database, locks, inlinePayload, new StartingPoints(nanoTime))
				: new NextJobsById(database, locks, inlinePayload);
	}

	/**
	 * How such a statement ends.
	 */
	static String lock(boolean locks) {
		return locks ? "\nFOR UPDATE SKIP LOCKED" : "";
	}

	/**
	 * Finds jobs.
	 * @param claim the claim that they are for
	 * @param range the range
	 * @param limit how many at most
	 * @param skip how many to pass over
	 * @return the jobs, in the order of the range
	 */
	List<Candidate> find(ClaimTransaction claim, ReadyRange range, int limit, int skip);

	/**
	 * Binds what {@link #DUE} needs.
	 */
	static JdbcClient.StatementSpec bound(JdbcClient.StatementSpec statement, ReadyRange range, Set<String> types) {
		return statement.param("state", StateCode.ready(range.degree()))
			.param("queue", range.queue())
			.param("priority", range.priority())
			.param("typeId", range.typeId())
			.param("everyType", (types.isEmpty() || !range.isOfAnyType()) ? 1 : 0)
			.param("types", types.isEmpty() ? NO_TYPE : types);
	}

}
