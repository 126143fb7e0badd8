package io.jobqueue.store.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.LocalDateTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.jobqueue.database.Database;

import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The tables as they are: what a test looks at after a transition, and changes so that
 * time has passed.
 */
final class Rows {

	static final LocalDateTime NEVER = LocalDateTime.of(9999, 12, 31, 0, 0);

	private static final List<String> TABLES = List.of("jobqueue_job", "jobqueue_payload", "jobqueue_archive",
			"jobqueue_error", "jobqueue_unique_key", "jobqueue_session", "jobqueue_start", "jobqueue_queue",
			"jobqueue_schedule", "jobqueue_tick", "jobqueue_declaration", "jobqueue_order_key", "jobqueue_order_place",
			"jobqueue_order_change", "jobqueue_order_block", "jobqueue_limit", "jobqueue_allowance",
			"jobqueue_limit_running", "jobqueue_limit_place", "jobqueue_dead_job", "jobqueue_operation",
			"jobqueue_audit", "jobqueue_history");

	private final Database database;

	Rows(Database database) {
		this.database = database.ofCaller();
	}

	void deleteAll() {
		TABLES.forEach((table) -> this.database.sql("DELETE FROM " + table).update());
		sql("UPDATE jobqueue_quarantine SET session_id = 0, solo_job_id = 0, reserved_until = '1970-01-01 00:00:00'")
			.update();
	}

	/**
	 * Every row of every table, to be compared with the same at another time.
	 * @return the rows by table
	 */
	Map<String, List<Map<String, Object>>> all() {
		Map<String, List<Map<String, Object>>> all = new LinkedHashMap<>();
		for (String table : TABLES) {
			all.put(table, sql("SELECT * FROM " + table + " ORDER BY 1, 2").query().listOfRows());
		}
		return all;
	}

	/**
	 * Any statement; {@code {now}} and its like are replaced as in the store's own.
	 * @param statement the statement
	 * @return to bind and run
	 */
	JdbcClient.StatementSpec sql(String statement) {
		return this.database.sql(statement);
	}

	long count(String table) {
		return sql("SELECT COUNT(*) FROM " + table).query(Long.class).single();
	}

	void set(long id, String assignments) {
		int rows = sql("UPDATE jobqueue_job SET " + assignments + " WHERE id = :id").param("id", id).update();
		if (rows != 1) {
			throw new AssertionError("No live job " + id);
		}
	}

	void setArchived(long id, String assignments) {
		int rows = sql("UPDATE jobqueue_archive SET " + assignments + " WHERE id = :id").param("id", id).update();
		if (rows != 1) {
			throw new AssertionError("No archived job " + id);
		}
	}

	/**
	 * Whether a condition holds for a live job, decided by the database, whose clock is
	 * the one that counts.
	 * @param id the job
	 * @param condition the condition in SQL
	 * @return true if it does
	 */
	boolean holds(long id, String condition) {
		return sql("SELECT COUNT(*) FROM jobqueue_job WHERE id = :id AND (" + condition + ")").param("id", id)
			.query(Long.class)
			.single() == 1;
	}

	boolean holdsArchived(long id, String condition) {
		return sql("SELECT COUNT(*) FROM jobqueue_archive WHERE id = :id AND (" + condition + ")").param("id", id)
			.query(Long.class)
			.single() == 1;
	}

	boolean isLive(long id) {
		return holds(id, "1 = 1");
	}

	boolean isArchived(long id) {
		return holdsArchived(id, "1 = 1");
	}

	LiveRow live(long id) {
		return sql("SELECT * FROM jobqueue_job WHERE id = :id").param("id", id)
			.query((row, number) -> LiveRow.of(row))
			.single();
	}

	ArchivedRow archived(long id) {
		return sql("SELECT * FROM jobqueue_archive WHERE id = :id").param("id", id)
			.query((row, number) -> ArchivedRow.of(row))
			.single();
	}

	List<ErrorRow> errors(long id) {
		return sql("SELECT * FROM jobqueue_error WHERE job_id = :id ORDER BY fence").param("id", id)
			.query((row, number) -> new ErrorRow(row.getLong("fence"), row.getInt("attempt"),
					row.getString("error_type"), row.getString("message"), row.getString("stack_trace")))
			.list();
	}

	record LiveRow(long id, int state, String queue, int priority, LocalDateTime availableAt, String type, long fence,
			int attempt, int maxAttempts, long timeoutMs, int crashes, int heldLimit, long sessionId,
			LocalDateTime claimedAt, LocalDateTime deadlineAt, LocalDateTime expiresAt, LocalDateTime enqueuedAt,
			boolean largePayload, String payload) {

		private static LiveRow of(ResultSet row) throws SQLException {
			return new LiveRow(row.getLong("id"), row.getInt("state"), row.getString("queue"), row.getInt("priority"),
					time(row, "available_at"), row.getString("type"), row.getLong("fence"), row.getInt("attempt"),
					row.getInt("max_attempts"), row.getLong("timeout_ms"), row.getInt("crashes"),
					row.getInt("held_limit"), row.getLong("session_id"), time(row, "claimed_at"),
					time(row, "deadline_at"), time(row, "expires_at"), time(row, "enqueued_at"),
					row.getInt("large_payload") == 1, row.getString("payload"));
		}

	}

	record ArchivedRow(long id, int state, LocalDateTime finishedAt, String queue, String type, int priority,
			LocalDateTime availableAt, long fence, int attempt, int maxAttempts, long timeoutMs, int crashes,
			long sessionId, LocalDateTime claimedAt, LocalDateTime enqueuedAt, boolean largePayload, String payload) {

		private static ArchivedRow of(ResultSet row) throws SQLException {
			return new ArchivedRow(row.getLong("id"), row.getInt("state"), time(row, "finished_at"),
					row.getString("queue"), row.getString("type"), row.getInt("priority"), time(row, "available_at"),
					row.getLong("fence"), row.getInt("attempt"), row.getInt("max_attempts"), row.getLong("timeout_ms"),
					row.getInt("crashes"), row.getLong("session_id"), time(row, "claimed_at"), time(row, "enqueued_at"),
					row.getInt("large_payload") == 1, row.getString("payload"));
		}

		/**
		 * What archiving makes of a live job.
		 * @param live the job as it was
		 * @param state the code of its last state
		 * @param finishedAt when it ended
		 * @return the row to be found in the archive
		 */
		static ArchivedRow from(LiveRow live, int state, LocalDateTime finishedAt) {
			return new ArchivedRow(live.id(), state, finishedAt, live.queue(), live.type(), live.priority(),
					live.availableAt(), live.fence(), live.attempt(), live.maxAttempts(), live.timeoutMs(),
					live.crashes(), live.sessionId(), live.claimedAt(), live.enqueuedAt(), live.largePayload(),
					live.payload());
		}

	}

	record ErrorRow(long fence, int attempt, String type, String message, String stackTrace) {

	}

	private static LocalDateTime time(ResultSet row, String column) throws SQLException {
		return row.getObject(column, LocalDateTime.class);
	}

}
