package io.jobqueue.benchmark.system;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import javax.sql.DataSource;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/**
 * What is in the queue's tables beside the jobs that are measured.
 */
public enum Backlog {

	/** Nothing. */
	NOTHING(0, ""),

	/** Jobs that are ready as well. */
	READY(800_000, """
			INSERT INTO jobqueue_job (type, payload)
			{series}
			SELECT 'work', ? FROM series"""),

	/** Jobs of every priority above the default that are due in a year. */
	DELAYED(1_000_000, """
			INSERT INTO jobqueue_job (type, payload, priority, available_at)
			{series}
			SELECT 'work', ?, 5 + n % 5, UTC_TIMESTAMP(6) + INTERVAL 1 YEAR FROM series"""),

	/** Long jobs of a queue of their own. */
	BULK(1_000_000, """
			INSERT INTO jobqueue_job (type, queue, payload)
			{series}
			SELECT 'bulk', 'bulk', ? FROM series"""),

	/**
	 * Jobs that nobody handles: of 200 types, in the queues of those that somebody does,
	 * and in others.
	 */
	OTHERS(1_000_000,
			"""
					INSERT INTO jobqueue_job (type, queue, priority, payload)
					{series}
					SELECT CONCAT('other-', n % 200), CASE n % 4 WHEN 0 THEN 'default' ELSE CONCAT('other-', n % 37) END, n % 3 + 3, ?
					FROM series"""),

	/** Jobs of one limit key, which wait for their places. */
	OF_ONE_LIMIT_KEY(1_000_000,
			"""
					INSERT INTO jobqueue_job (type, limit_key, state, type_id, payload)
					{series}
					SELECT 'ten-at-once', 'one', 10, (SELECT -id FROM jobqueue_type WHERE name = 'ten-at-once'), ? FROM series"""),

	/** Jobs whose type may start some in a second. */
	OF_ONE_RATE(1_000_000,
			"""
					INSERT INTO jobqueue_job (type, type_id, payload)
					{series}
					SELECT 'hundred-a-second', (SELECT id FROM jobqueue_type WHERE name = 'hundred-a-second'), ? FROM series"""),

	/** Jobs that are dead of 50 causes, of a type that nobody handles. */
	DEAD(1_000_000, """
			INSERT INTO jobqueue_archive
			    (id, state, finished_at, queue, type, priority, available_at, fence, attempt, max_attempts, timeout_ms,
			     crashes, session_id, claimed_at, enqueued_at, large_payload, payload)
			{series}
			SELECT n + 1, 4, ended_at, 'gone', 'gone', 4, ended_at, 1, 1, 0, 0, 0, 1, ended_at, ended_at, 0, ?
			FROM (SELECT n, UTC_TIMESTAMP(6) - INTERVAL 100000 * (1000000 - n) MICROSECOND AS ended_at
			      FROM series) ended"""),

	/** Jobs that succeeded within the last six days, ten each second. */
	ARCHIVED(5_000_000, """
			INSERT INTO jobqueue_archive
			    (id, state, finished_at, queue, type, priority, available_at, fence, attempt, max_attempts, timeout_ms,
			     crashes, session_id, claimed_at, enqueued_at, large_payload, payload)
			{series}
			SELECT n + 1, 3, ended_at, 'default', 'work', 4, ended_at, 1, 1, 0, 0, 0, 1, ended_at, ended_at, 0, ?
			FROM (SELECT n, UTC_TIMESTAMP(6) - INTERVAL 100000 * (5000000 - n) MICROSECOND AS ended_at
			      FROM series) ended""");

	private static final String SERIES = """
			WITH RECURSIVE series (n) AS (SELECT ? UNION ALL SELECT n + 1 FROM series WHERE n < ?)""";

	private static final int CHUNK = 100_000;

	private final int rows;

	private final String insert;

	Backlog(int rows, String insert) {
		this.rows = rows;
		this.insert = insert;
	}

	/**
	 * Fills the tables, a chunk of rows to a statement, on two connections. Nobody
	 * measures this, so the binary log, which would take gigabytes of it, is left out.
	 */
	void fill(DataSource dataSource) {
		if (this.rows == 0) {
			return;
		}
		AtomicInteger next = new AtomicInteger();
		CompletableFuture
			.allOf(CompletableFuture.runAsync(() -> fillChunks(dataSource, next)),
					CompletableFuture.runAsync(() -> fillChunks(dataSource, next)))
			.join();
		if (this == OF_ONE_LIMIT_KEY) {
			new JdbcTemplate(dataSource).execute("""
					INSERT INTO jobqueue_limit_place (limit_id, limit_key, job_id)
					SELECT l.id, j.limit_key, j.id
					FROM jobqueue_job j JOIN jobqueue_limit l ON l.name = j.type""");
		}
		if (this == DEAD) {
			new JdbcTemplate(dataSource).execute("""
					INSERT INTO jobqueue_dead_job (job_id, cause_id, queue, type, died_at)
					SELECT id, id % 50, queue, type, finished_at FROM jobqueue_archive""");
		}
		if (this == ARCHIVED || this == DEAD) {
			// New jobs come after those that ended.
			new JdbcTemplate(dataSource).execute("ALTER TABLE jobqueue_job AUTO_INCREMENT = " + (this.rows + 1));
		}
	}

	private void fillChunks(DataSource dataSource, AtomicInteger next) {
		String statement = this.insert.replace("{series}", SERIES);
		try (Connection connection = dataSource.getConnection()) {
			JdbcTemplate sql = new JdbcTemplate(new SingleConnectionDataSource(connection, true));
			sql.execute("SET SESSION cte_max_recursion_depth = " + 2 * CHUNK);
			sql.execute("SET SESSION sql_log_bin = 0");
			try {
				for (int first = next.getAndAdd(CHUNK); first < this.rows; first = next.getAndAdd(CHUNK)) {
					int last = Math.min(this.rows, first + CHUNK) - 1;
					sql.update(statement, first, last, QueueSystem.PAYLOAD);
				}
			}
			finally {
				sql.execute("SET SESSION sql_log_bin = 1");
			}
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
