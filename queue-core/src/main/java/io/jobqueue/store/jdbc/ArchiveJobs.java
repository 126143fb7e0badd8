package io.jobqueue.store.jdbc;

import java.util.List;

import io.jobqueue.JobState;

/**
 * Moves live jobs, whose rows the transaction has locked, to the archive. Large payloads
 * and errors stay where they are.
 */
final class ArchiveJobs {

	private static final String INSERT = """
			INSERT INTO jobqueue_archive
			    (id, state, finished_at, queue, type, priority, available_at, fence, attempt, max_attempts, timeout_ms,
			     crashes, session_id, claimed_at, enqueued_at, large_payload, payload)
			SELECT id, :state, {now}, queue, type, priority, available_at, fence, attempt, max_attempts, timeout_ms,
			     crashes, session_id, claimed_at, enqueued_at, large_payload, payload
			FROM jobqueue_job{byPrimary}
			WHERE id IN (:ids)""";

	private static final String DELETE = """
			{delete jobqueue_job} WHERE id IN (:ids)""";

	private static final String DELETE_PAYLOADS = """
			{delete jobqueue_payload} WHERE job_id IN (:ids)""";

	private static final String DELETE_ERRORS = """
			{delete jobqueue_error} WHERE job_id IN (:ids)""";

	private final Database database;

	ArchiveJobs(Database database) {
		this.database = database;
	}

	void move(JobState state, List<Long> ids) {
		for (List<Long> chunk : Chunks.of(ids)) {
			this.database.sql(INSERT).param("state", StateCode.of(state)).param("ids", chunk).update();
			this.database.sql(DELETE).param("ids", chunk).update();
		}
	}

	void delete(List<Long> ids) {
		for (List<Long> chunk : Chunks.of(ids)) {
			this.database.sql(DELETE).param("ids", chunk).update();
			deleteBelongings(chunk);
		}
	}

	/**
	 * Deletes what belongs to jobs, as many as fit into one IN list.
	 */
	void deleteBelongings(List<Long> ids) {
		this.database.sql(DELETE_PAYLOADS).param("ids", ids).update();
		this.database.sql(DELETE_ERRORS).param("ids", ids).update();
	}

}
