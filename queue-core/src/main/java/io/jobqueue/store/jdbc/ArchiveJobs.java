package io.jobqueue.store.jdbc;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.jobqueue.JobState;
import io.jobqueue.store.Claim;

/**
 * Moves live jobs, whose rows the transaction has locked, to the archive. Large payloads
 * and errors stay where they are.
 */
final class ArchiveJobs {

	private static final String COPY = """
			INSERT INTO jobqueue_archive
			    (id, state, finished_at, queue, type, priority, available_at, fence, attempt, max_attempts, timeout_ms,
			     crashes, session_id, claimed_at, enqueued_at, large_payload, payload)
			SELECT id, :state, {now}, queue, type, priority, {readable available_at}, fence, attempt, max_attempts,
			     timeout_ms, crashes, session_id, {readable claimed_at}, {readable enqueued_at}, large_payload, payload
			FROM jobqueue_job{byPrimary}
			""";

	private static final String INSERT = COPY + "WHERE id IN (:ids)";

	private static final String INSERT_CURRENT = COPY + "WHERE id = :id AND fence = :fence AND state = 1{lockSource}";

	private static final String DELETE = """
			{delete jobqueue_job} WHERE id IN (:ids)""";

	private static final String DELETE_CURRENT = """
			{delete jobqueue_job} WHERE id = :id AND fence = :fence AND state = 1""";

	private static final String DELETE_PAYLOADS = """
			{delete jobqueue_payload} WHERE job_id IN (:ids)""";

	private static final String DELETE_ERRORS = """
			{delete jobqueue_error} WHERE job_id IN (:ids)""";

	private final Database database;

	private final ReusedIds reusedIds;

	ArchiveJobs(Database database) {
		this.database = database;
		this.reusedIds = new ReusedIds(database);
	}

	void move(JobState state, List<Long> ids) {
		for (List<Long> chunk : Chunks.of(ids)) {
			this.reusedIds.write(chunk,
					() -> this.database.numbers(INSERT).param("state", StateCode.of(state)).ids(chunk).update());
			this.database.numbers(DELETE).ids(chunk).update();
		}
	}

	/**
	 * Deletes jobs for good.
	 * @param ids the jobs
	 * @param large those of them whose payload is in a table of its own
	 * @param failed those of them that may have errors
	 */
	void delete(List<Long> ids, List<Long> large, List<Long> failed) {
		delete(DELETE, ids);
		delete(DELETE_PAYLOADS, large);
		delete(DELETE_ERRORS, failed);
	}

	private void delete(String statement, List<Long> ids) {
		Chunks.of(ids).forEach((chunk) -> this.database.numbers(statement).ids(chunk).update());
	}

	/**
	 * Moves one job whose row is not locked yet, if the claim on it is current.
	 * @return whether it was; if not, the transaction must be rolled back
	 */
	boolean moveIfCurrent(JobState state, Claim claim) {
		AtomicInteger inserted = new AtomicInteger();
		this.reusedIds.write(List.of(claim.id()),
				() -> inserted.set(current(INSERT_CURRENT, claim).param("state", StateCode.of(state)).update()));
		return inserted.get() == 1 && current(DELETE_CURRENT, claim).update() == 1;
	}

	boolean deleteIfCurrent(Claim claim) {
		boolean deleted = current(DELETE_CURRENT, claim).update() == 1;
		if (deleted) {
			deleteBelongings(List.of(claim.id()));
		}
		return deleted;
	}

	private NumberStatement current(String statement, Claim claim) {
		return this.database.numbers(statement).param("id", claim.id()).param("fence", claim.fence());
	}

	/**
	 * Deletes what belongs to jobs, as many as fit into one IN list.
	 */
	void deleteBelongings(List<Long> ids) {
		this.database.numbers(DELETE_PAYLOADS).ids(ids).update();
		this.database.numbers(DELETE_ERRORS).ids(ids).update();
	}

}
