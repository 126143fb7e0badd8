package io.jobqueue.store.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

import io.jobqueue.test.TestSchema;

/**
 * Fills a MySQL schema with any number of ready jobs, by a few statements.
 */
final class ReadyJobs {

	/** A worker session that runs 50 jobs. */
	static final long SESSION = 5;

	private static final long SESSION_THAT_IS_GONE = 6;

	private ReadyJobs() {
	}

	/**
	 * Adds due jobs to the default range; a tenth as many delayed ones, in the same range
	 * and of the highest priority; a session that runs 50 jobs, and 50 jobs of a session
	 * that is gone.
	 * @param schema where
	 * @param jobs how many due jobs
	 * @throws SQLException if that fails
	 */
	static void fill(TestSchema schema, int jobs) throws SQLException {
		try (Connection connection = schema.connect()) {
			insertReady(connection, jobs, 4, "TIMESTAMPADD(MICROSECOND, number, '2025-01-01 00:00:00')");
			insertReady(connection, jobs / 10, 4, "'2999-01-01 00:00:00'");
			insertReady(connection, jobs / 10, 9, "'2999-01-01 00:00:00'");
			execute(connection, """
					INSERT INTO jobqueue_session
					    (id, worker, started_at, heartbeat_at, expires_at, slots, busy, queues, types)
					VALUES (%d, 'one', UTC_TIMESTAMP(6), UTC_TIMESTAMP(6), '2999-01-01 00:00:00', 50, 50, '', '')"""
				.formatted(SESSION));
			insertRunning(connection, SESSION);
			insertRunning(connection, SESSION_THAT_IS_GONE);
			execute(connection, "ANALYZE TABLE jobqueue_job");
		}
	}

	private static void insertReady(Connection connection, int jobs, int priority, String availableAt)
			throws SQLException {
		if (jobs > 0) {
			execute(connection, """
					INSERT INTO jobqueue_job (type, priority, available_at)
					WITH RECURSIVE thousand (number) AS (
					    SELECT 0 UNION ALL SELECT number + 1 FROM thousand WHERE number < 999)
					SELECT 'any', %d, %s
					FROM (SELECT a.number * 1000 + b.number AS number FROM thousand a JOIN thousand b
					      WHERE a.number <= %d) numbers
					WHERE number < %d""".formatted(priority, availableAt, jobs / 1000, jobs));
		}
	}

	private static void insertRunning(Connection connection, long session) throws SQLException {
		execute(connection, """
				INSERT INTO jobqueue_job (type, state, fence, attempt, session_id, claimed_at, deadline_at)
				WITH RECURSIVE fifty (number) AS (
				    SELECT 1 UNION ALL SELECT number + 1 FROM fifty WHERE number < 50)
				SELECT 'any', 1, 1, 1, %d, UTC_TIMESTAMP(6), '2999-01-01 00:00:00' FROM fifty""".formatted(session));
	}

	private static void execute(Connection connection, String sql) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(sql)) {
			statement.execute();
		}
	}

}
