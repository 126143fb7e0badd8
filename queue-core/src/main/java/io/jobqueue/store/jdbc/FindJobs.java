package io.jobqueue.store.jdbc;

import java.time.LocalDateTime;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

import io.jobqueue.Job;
import io.jobqueue.database.Database;
import io.jobqueue.store.jdbc.table.JobRow;

import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Reads jobs as they stand, with the error of their last failed attempt. Live and
 * archived jobs are read in one statement, that is, in one snapshot: a job on its way
 * from one table to the other is always found. At READ UNCOMMITTED it may be found in
 * both; then it is on its way from one to the other, and the live one is taken.
 */
final class FindJobs {

	/**
	 * A job of a row-lock queue looks ready while it runs; its start record knows better.
	 * What another program may have written is not added to: it may be the largest
	 * number.
	 */
	private static final String FIND = """
			SELECT job.id, CASE WHEN s.job_id IS NULL THEN job.state ELSE 1 END AS state, job.queue, job.type,
			    job.priority, job.available_at, CASE WHEN s.job_id IS NULL THEN job.attempt ELSE job.attempt + 1 END AS attempt,
			    job.crashes, job.max_attempts, COALESCE(s.started_at, job.claimed_at) AS claimed_at, job.enqueued_at,
			    job.scheduled_for, job.order_key, job.limit_key, job.trace, job.limit_name, job.is_due, k.head_id, k.state AS key_state, job.finished_at, COALESCE(p.payload, job.small_payload) AS payload,
			    e.attempt AS error_attempt, e.failed_at, e.error_type, e.message, e.stack_trace
			FROM (SELECT 0 AS archived, $columns, fence, payload AS small_payload, NULL AS finished_at
			      FROM jobqueue_job
			      WHERE id = :id
			      UNION ALL
			      SELECT 1, $columns, fence, payload, finished_at
			      FROM jobqueue_archive
			      WHERE id = :id) job
			LEFT JOIN jobqueue_start s ON s.job_id = job.id AND s.fence - 1 = job.fence AND s.freed = 0 AND job.state = 0
			LEFT JOIN jobqueue_order_key k ON k.order_key = job.order_key AND job.state = 9
			LEFT JOIN jobqueue_payload p ON p.job_id = job.id
			LEFT JOIN jobqueue_error e ON e.job_id = job.id
			    AND e.fence = (SELECT MAX(last.fence) FROM jobqueue_error last WHERE last.job_id = :id)
			ORDER BY job.archived
			LIMIT 1"""
		.replace("$columns", JobRow.COLUMNS);

	private static final String NEWEST_DEAD = """
			SELECT job.*, NULL AS payload,
			    e.attempt AS error_attempt, e.failed_at, e.error_type, e.message, e.stack_trace
			FROM (SELECT $columns, finished_at FROM jobqueue_archive{byFinished}
			      WHERE state = 4
			      ORDER BY finished_at DESC
			      LIMIT :limit) job
			LEFT JOIN jobqueue_error e ON e.job_id = job.id
			    AND e.fence = (SELECT MAX(last.fence) FROM jobqueue_error last WHERE last.job_id = job.id)
			ORDER BY job.finished_at DESC""".replace("$columns", JobRow.COLUMNS);

	private static final String FIND_ENQUEUED = FIND.replace("WHERE id = :id",
			"WHERE id = :id AND enqueued_at = :enqueued");

	/**
	 * The key's row tells its job from another that has got the same id.
	 */
	private static final String KEY = """
			SELECT job_id, {readable job_enqueued_at} AS enqueued
			FROM jobqueue_unique_key{byPrimary}
			WHERE type = :type AND unique_key = :key""";

	private final Database database;

	private final Database ofCaller;

	FindJobs(Database database) {
		this.database = database;
		this.ofCaller = database.ofCaller();
	}

	/**
	 * Finds a job, as the caller sees it in a transaction.
	 */
	Optional<Job> find(long id) {
		return read((from) -> from.sql(FIND).param("id", id).query((row, number) -> JobRow.job(row)).optional());
	}

	/**
	 * Finds the job that holds a key, as the caller sees it in a transaction.
	 */
	Optional<Job> ofKey(String type, String uniqueKey) {
		return read((from) -> ofKey(from, type, uniqueKey));
	}

	private <T> T read(Function<Database, T> work) {
		return TransactionSynchronizationManager.isActualTransactionActive() ? work.apply(this.ofCaller)
				: this.database.read(() -> work.apply(this.database));
	}

	/**
	 * Finds the live job that holds a key, among those that are committed.
	 */
	Optional<Long> liveOfKey(String type, String uniqueKey) {
		return this.database.transactions()
			.run(() -> ofKey(this.database, type, uniqueKey))
			.filter((job) -> job.state().isLive())
			.map(Job::id);
	}

	private static Optional<Job> ofKey(Database from, String type, String uniqueKey) {
		return from.sql(KEY)
			.param("type", type)
			.param("key", uniqueKey)
			.query((row, number) -> new Holder(row.getLong("job_id"), row.getObject("enqueued", LocalDateTime.class)))
			.optional()
			.flatMap((holder) -> from.sql(FIND_ENQUEUED)
				.param("id", holder.jobId())
				.param("enqueued", holder.enqueuedAt())
				.query((row, number) -> JobRow.job(row))
				.optional());
	}

	List<Job> newestDead(int limit) {
		return this.database.sql(NEWEST_DEAD).param("limit", limit).query((row, number) -> JobRow.job(row)).list();
	}

	/**
	 * The job that a unique key was given to.
	 */
	private record Holder(long jobId, LocalDateTime enqueuedAt) {

	}

}
