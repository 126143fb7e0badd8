package io.jobqueue.store.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.jobqueue.ArchivedJob;
import io.jobqueue.JobError;
import io.jobqueue.JobState;
import io.jobqueue.database.Chunks;
import io.jobqueue.database.Database;
import io.jobqueue.database.StateCode;
import io.jobqueue.database.Utc;
import io.jobqueue.store.MaintenanceStore.ArchivedBatch;
import io.jobqueue.store.jdbc.table.JobRow;

import org.jspecify.annotations.Nullable;

/**
 * Reads archived jobs with all that belongs to them, before they are deleted. Payloads
 * and stack traces may be large, so their sizes are asked for first.
 */
final class ReadArchive {

	/** More than this is not held in memory, unless a single job has more. */
	private static final long MOST_BYTES = 8L * 1024 * 1024;

	private static final String SIZES = """
			SELECT a.id, {readable a.finished_at} AS seen_at,
			    COALESCE(OCTET_LENGTH(a.payload), 0)
			    + COALESCE((SELECT OCTET_LENGTH(p.payload) FROM jobqueue_payload p WHERE p.job_id = a.id), 0)
			    + COALESCE((SELECT SUM(OCTET_LENGTH(e.stack_trace)) FROM jobqueue_error e WHERE e.job_id = a.id), 0) AS bytes
			FROM jobqueue_archive a{byFinished}
			WHERE a.state = :state AND a.finished_at >= :from AND a.finished_at < :before
			    AND (SELECT j.id FROM jobqueue_job j WHERE j.id = a.call_id) IS NULL
			ORDER BY a.finished_at
			LIMIT :limit""";

	private static final String JOBS = """
			SELECT job.*, COALESCE(p.payload, job.small_payload) AS payload,
			    e.attempt AS error_attempt, e.failed_at, e.error_type, e.message, e.stack_trace
			FROM (SELECT $columns, fence, payload AS small_payload, finished_at
			      FROM jobqueue_archive{byPrimary}
			      WHERE id IN (:ids)) job
			LEFT JOIN jobqueue_payload p ON p.job_id = job.id
			LEFT JOIN jobqueue_error e ON e.job_id = job.id
			    AND e.fence = (SELECT MAX(last.fence) FROM jobqueue_error last WHERE last.job_id = job.id)"""
		.replace("$columns", JobRow.COLUMNS);

	private static final String ERRORS = """
			SELECT job_id, attempt AS error_attempt, failed_at, error_type, message, stack_trace
			FROM jobqueue_error{byPrimary}
			WHERE job_id IN (:ids)
			ORDER BY job_id, fence""";

	private final Database database;

	ReadArchive(Database database) {
		this.database = database;
	}

	ArchivedBatch read(JobState state, LocalDateTime before, @Nullable LocalDateTime from, int limit) {
		return this.database.transactions().run(() -> {
			List<Sized> sizes = this.database.sql(SIZES)
				.param("state", StateCode.of(state))
				.param("before", before)
				.param("from", Utc.orEpoch(from))
				.param("limit", limit)
				.query((row, number) -> new Sized(row.getLong("id"), row.getObject("seen_at", LocalDateTime.class),
						row.getLong("bytes")))
				.list();
			List<Sized> some = notTooLarge(sizes);
			boolean more = sizes.size() == limit || some.size() < sizes.size();
			return new ArchivedBatch(jobs(some),
					(more && !some.isEmpty()) ? some.get(some.size() - 1).finishedAt() : null);
		});
	}

	private static List<Sized> notTooLarge(List<Sized> all) {
		long bytes = 0;
		for (int i = 0; i < all.size(); i++) {
			bytes += all.get(i).bytes();
			if (bytes > MOST_BYTES && i > 0) {
				return all.subList(0, i);
			}
		}
		return all;
	}

	/**
	 * Without those that were redriven meanwhile and have ended again: their errors may
	 * have been read before.
	 */
	private List<ArchivedJob> jobs(List<Sized> found) {
		Map<Long, LocalDateTime> finished = found.stream().collect(Collectors.toMap(Sized::id, Sized::finishedAt));
		List<ArchivedJob> jobs = new ArrayList<>();
		for (List<Long> chunk : Chunks.of(found.stream().map(Sized::id).toList())) {
			Map<Long, List<JobError>> errors = new HashMap<>();
			this.database.numbers(ERRORS)
				.ids(chunk)
				.query((row, number) -> errors.computeIfAbsent(row.getLong("job_id"), (id) -> new ArrayList<>())
					.add(JobRow.error(row)));
			jobs.addAll(this.database.numbers(JOBS).ids(chunk).query((row, number) -> job(row, errors)));
		}
		return jobs.stream()
			.filter((one) -> one.job().finishedAt() != null
					&& Utc.of(one.job().finishedAt()).equals(finished.get(one.job().id())))
			.toList();
	}

	private static ArchivedJob job(ResultSet row, Map<Long, List<JobError>> errors) throws SQLException {
		return new ArchivedJob(JobRow.job(row), row.getLong("fence"),
				errors.getOrDefault(row.getLong("id"), List.of()));
	}

	private record Sized(long id, LocalDateTime finishedAt, long bytes) {

	}

}
