package io.jobqueue.store.jdbc;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.jobqueue.database.Database;
import io.jobqueue.store.jdbc.history.JdbcHistory;
import io.jobqueue.store.jdbc.operation.JdbcOperations;
import io.jobqueue.store.jdbc.schedule.ScheduleRows;
import io.jobqueue.store.jdbc.table.JobColumns;

import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.BadSqlGrammarException;

/**
 * Checks that the queue's tables are there with the columns that the statements use, and
 * with the indexes that they name, however they got there.
 */
public final class SchemaCheck {

	private static final Map<String, String> COLUMNS = new LinkedHashMap<>();
	static {
		COLUMNS.put("jobqueue_job", JobColumns.names(JobColumns.live()));
		COLUMNS.put("jobqueue_payload", "job_id, payload");
		COLUMNS.put("jobqueue_archive", JobColumns.names(JobColumns.archive()));
		COLUMNS.put("jobqueue_error", "job_id, fence, attempt, failed_at, error_type, message, stack_trace");
		COLUMNS.put("jobqueue_unique_key", "type, unique_key, job_id, expires_at, job_enqueued_at");
		COLUMNS.put("jobqueue_session",
				"id, worker, started_at, heartbeat_at, expires_at, slots, busy, beats, queues, types");
		COLUMNS.put("jobqueue_queue", "name, paused, lifo, mode");
		COLUMNS.put("jobqueue_start",
				"job_id, fence, session_id, connection_id, server, started_at, deadline_at, freed, left_running");
		COLUMNS.put("jobqueue_type",
				"id, name, max_attempts, delay_ms, multiplier, max_delay_ms, jitter, dead_handler, on_dead, limit_name");
		COLUMNS.put("jobqueue_schedule", ScheduleRows.COLUMNS);
		COLUMNS.put("jobqueue_tick", "schedule_id, tick_at, job_id");
		COLUMNS.put("jobqueue_declaration", "kind, name, definition_hash, revision, first_seen_at, seen_at");
		COLUMNS.put("jobqueue_order_key", "order_key, head_id, from_id, state, until_id, changed_at");
		COLUMNS.put("jobqueue_order_place", "order_key, job_id");
		COLUMNS.put("jobqueue_order_change", "kind, job_id, order_key, waited");
		COLUMNS.put("jobqueue_order_block", "order_key, job_id, blocked_at");
		COLUMNS.put("jobqueue_limit", "id, name, running, starts, per_ms, burst, declared");
		COLUMNS.put("jobqueue_allowance", "limit_id, limit_key, booked_until, look_at, changed_at");
		COLUMNS.put("jobqueue_limit_running", "limit_id, limit_key, job_id, fence");
		COLUMNS.put("jobqueue_limit_place", "limit_id, limit_key, job_id");
		COLUMNS.put("jobqueue_quarantine", "id, session_id, solo_job_id, reserved_until");
		COLUMNS.put("jobqueue_dead_job", "job_id, cause_id, queue, type, died_at");
		COLUMNS.put("jobqueue_operation", JdbcOperations.COLUMNS);
		COLUMNS.put("jobqueue_audit", "id, begun_at, actor, source, action, target, changed, outcome, problem");
		COLUMNS.put("jobqueue_history", String.join(", ", JdbcHistory.COLUMNS));
		COLUMNS.put("jobqueue_retention", "application, state, keep_seconds, keep_rows, elsewhere_until, seen_at");
	}

	/** The fragments of the dialect that name an index; H2 has none of them. */
	private static final Map<String, List<String>> INDEXES = Map.ofEntries(
			Map.entry("jobqueue_job", List.of("{byClaim}", "{byExpiry}")),
			Map.entry("jobqueue_archive", List.of("{byFinished}")),
			Map.entry("jobqueue_unique_key", List.of("{byKeyExpiry}")),
			Map.entry("jobqueue_schedule", List.of("{byDue}")), Map.entry("jobqueue_tick", List.of("{byTick}")),
			Map.entry("jobqueue_allowance", List.of("{byLook}")), Map.entry("jobqueue_dead_job", List.of("{byCause}")),
			Map.entry("jobqueue_operation", List.of("{byState}")));

	private final Database database;

	/**
	 * Creates a check.
	 * @param database the database to look at
	 */
	public SchemaCheck(Database database) {
		this.database = database;
	}

	/**
	 * Looks at each table, and at the indexes of those that have their columns.
	 * @return what is wrong, a line for each table or index; empty if all is well
	 * @throws DataAccessException if the database cannot be asked
	 */
	public List<String> problems() {
		List<String> problems = new ArrayList<>();
		COLUMNS.forEach((table, columns) -> {
			Optional<String> problem = problem(table, columns, "");
			if (problem.isPresent()) {
				problems.add(problem.get());
				return;
			}
			INDEXES.getOrDefault(table, List.of())
				.forEach((index) -> problem(table, "1", index).ifPresent(problems::add));
		});
		return problems;
	}

	private Optional<String> problem(String table, String columns, String index) {
		try {
			this.database.sql("SELECT " + columns + " FROM " + table + index + " WHERE 1 = 0").query((row) -> {
			});
			return Optional.empty();
		}
		catch (BadSqlGrammarException ex) {
			return Optional.of(table + ": " + ex.getMostSpecificCause().getMessage());
		}
	}

}
