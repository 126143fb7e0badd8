package io.jobqueue.store.jdbc.inspect;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.jobqueue.Job;
import io.jobqueue.database.Chunks;
import io.jobqueue.database.Database;
import io.jobqueue.store.jdbc.table.JobRow;

/**
 * Reads jobs for lists: as they stand, without payloads and stack traces.
 */
final class ReadJobs {

	/** A job that is found in both tables is on its way, and the live one is taken. */
	private static final String JOBS = """
			SELECT job.id, CASE WHEN s.job_id IS NULL THEN job.state ELSE 1 END AS state, job.queue, job.type,
			    job.priority, job.available_at, CASE WHEN s.job_id IS NULL THEN job.attempt ELSE job.attempt + 1 END AS attempt,
			    job.crashes, job.max_attempts, COALESCE(s.started_at, job.claimed_at) AS claimed_at, job.enqueued_at,
			    job.scheduled_for, job.order_key, job.limit_key, job.trace, job.limit_name, job.is_due, k.head_id, k.state AS key_state,
			    job.finished_at, NULL AS payload, e.attempt AS error_attempt, e.failed_at, e.error_type, e.message,
			    '' AS stack_trace
			FROM (SELECT 0 AS archived, $columns, fence, NULL AS finished_at
			      FROM jobqueue_job{byPrimary}
			      WHERE id IN (:ids)
			      UNION ALL
			      SELECT 1, $columns, fence, {readable finished_at}
			      FROM jobqueue_archive{byPrimary}
			      WHERE id IN (:ids)) job
			LEFT JOIN jobqueue_start s ON s.job_id = job.id AND s.fence - 1 = job.fence AND s.freed = 0 AND job.state = 0
			LEFT JOIN jobqueue_order_key k ON k.order_key = job.order_key AND job.state = 9
			LEFT JOIN jobqueue_error e ON e.job_id = job.id
			    AND e.fence = (SELECT MAX(last.fence) FROM jobqueue_error last WHERE last.job_id = job.id)
			ORDER BY job.archived"""
		.replace("$columns", JobRow.COLUMNS);

	private final Database database;

	ReadJobs(Database database) {
		this.database = database;
	}

	/**
	 * Reads jobs.
	 * @param ids their ids
	 * @return those that are there, by id
	 */
	Map<Long, Job> read(Collection<Long> ids) {
		Map<Long, Job> jobs = new HashMap<>();
		for (List<Long> chunk : Chunks.of(List.copyOf(ids))) {
			this.database.numbers(JOBS)
				.ids(chunk)
				.query((row, number) -> JobRow.job(row))
				.forEach((job) -> jobs.putIfAbsent(job.id(), job));
		}
		return jobs;
	}

}
