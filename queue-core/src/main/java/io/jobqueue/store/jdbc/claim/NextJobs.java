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
 * the statement starts, or served in another mode than the range says, yields nothing.
 */
interface NextJobs {

	/** Which jobs of a range are due. */
	String DUE = """
			WHERE state = :state AND type_id = :typeId AND queue = :queue AND priority = :priority
			    AND available_at <= {now} AND (:everyType = 1 OR type IN (:types))
			    AND NOT EXISTS (SELECT 1 FROM jobqueue_queue WHERE name = :queue AND (paused = 1 OR mode <> :mode))
			""";

	/** A list in SQL must not be empty. */
	Set<String> NO_TYPE = Set.of("-");

	/** No job has this id. */
	Set<Long> NO_JOB = Set.of(Long.MIN_VALUE);

	/**
	 * The way for a database.
	 * @param database the database
	 * @param look which jobs, and whether they are locked
	 * @param inlinePayload the largest payload that comes with its job, in bytes
	 * @param nanoTime the monotonic clock
	 */
	static NextJobs of(Database database, Look look, int inlinePayload, LongSupplier nanoTime) {
		return database.can(Capability.LOCK_ONLY_WHAT_IS_READ)
				? new NextJobsInOrder(database, look, inlinePayload,
						new StartingPoints(nanoTime, new AskServer(database)))
				: new NextJobsById(database, look, inlinePayload);
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
	static JdbcClient.StatementSpec bound(JdbcClient.StatementSpec statement, ReadyRange range,
			ClaimTransaction claim) {
		Set<String> types = claim.request().types();
		Set<Long> rowLocked = claim.request().rowLocked();
		return statement.param("state", StateCode.ready(range.degree()))
			.param("queue", range.queue())
			.param("priority", range.priority())
			.param("typeId", range.typeId())
			.param("mode", range.mode().ordinal())
			.param("everyType", (types.isEmpty() || !range.isOfAnyType()) ? 1 : 0)
			.param("types", types.isEmpty() ? NO_TYPE : types)
			.param("rowLocked", rowLocked.isEmpty() ? NO_JOB : rowLocked);
	}

	/**
	 * Which jobs, and whether they are locked.
	 */
	enum Look {

		/** Those that nobody has locked; they are locked until the transaction ends. */
		LOCKING("", "\nFOR UPDATE SKIP LOCKED"),

		/** All; none is locked. */
		READING("", ""),

		/**
		 * Those that neither run in the mode row-lock nor are about to; none is locked.
		 */
		NOT_STARTED(
				"""
						    AND id NOT IN (:rowLocked)
						    AND NOT EXISTS (SELECT 1 FROM jobqueue_start s WHERE s.job_id = id AND s.fence - 1 = jobqueue_job.fence)
						""",
				"");

		private final String condition;

		private final String lock;

		Look(String condition, String lock) {
			this.condition = condition;
			this.lock = lock;
		}

		String condition() {
			return this.condition;
		}

		/**
		 * Makes a statement of its conditions and of what follows them.
		 */
		String statement(String upToConditions, String end) {
			return upToConditions + this.condition + end + this.lock;
		}

	}

}
