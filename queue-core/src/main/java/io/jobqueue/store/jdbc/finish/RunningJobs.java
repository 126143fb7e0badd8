package io.jobqueue.store.jdbc.finish;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

import io.jobqueue.database.Database;
import io.jobqueue.database.Utc;
import io.jobqueue.store.Claim;
import io.jobqueue.store.OverdueJob;

/**
 * Reads running jobs: what a session holds, and whom to rescue, whose session is gone or
 * whose deadline has passed. Running jobs are few, however many are ready, and have a
 * range of the claim index to themselves.
 */
public final class RunningJobs {

	/**
	 * What is sorted by id are the running jobs only. An order that does not change while
	 * jobs are taken lets a round go on behind those that it cannot take.
	 */
	private static final String OVERDUE = """
			SELECT j.id, j.fence, j.session_id, j.type, j.attempt, j.max_attempts, j.crashes, j.held_limit,
			    CASE WHEN s.id IS NULL THEN 1 ELSE 0 END AS orphaned,
			    TIMESTAMPDIFF(MICROSECOND, j.claimed_at, {now}) AS held_for,
			    TIMESTAMPDIFF(MICROSECOND, j.claimed_at, j.deadline_at) AS allowed
			FROM jobqueue_job j{byClaim}
			LEFT JOIN jobqueue_session s ON s.id = j.session_id
			WHERE j.state = 1 AND j.id > :after AND (s.id IS NULL OR j.deadline_at < {now})
			ORDER BY j.id
			LIMIT :limit""";

	private static final String HELD = """
			SELECT id, fence, session_id
			FROM jobqueue_job{byClaim}
			WHERE state = 1 AND session_id = :session""";

	private final Database database;

	public RunningJobs(Database database) {
		this.database = database;
	}

	public List<OverdueJob> overdue(long after, int limit) {
		return this.database.read(() -> readOverdue(after, limit));
	}

	private List<OverdueJob> readOverdue(long after, int limit) {
		return this.database.sql(OVERDUE)
			.param("after", after)
			.param("limit", limit)
			.query((row, number) -> new OverdueJob(claim(row), row.getString("type"), row.getInt("attempt"),
					row.getInt("max_attempts"), row.getInt("crashes"), row.getInt("held_limit"),
					row.getInt("orphaned") == 1, notNegative(row.getLong("held_for")),
					notNegative(row.getLong("allowed"))))
			.list();
	}

	private static Claim claim(ResultSet row) throws SQLException {
		return new Claim(row.getLong("id"), row.getLong("fence"), row.getLong("session_id"));
	}

	private static Duration notNegative(long micros) {
		return Utc.ofMicros(Math.max(0, micros));
	}

	public List<Claim> heldBy(long sessionId, boolean inTransaction) {
		return inTransaction ? this.database.transactions().run(() -> readHeldBy(sessionId))
				: this.database.read(() -> readHeldBy(sessionId));
	}

	private List<Claim> readHeldBy(long sessionId) {
		return this.database.sql(HELD).param("session", sessionId).query((row, number) -> claim(row)).list();
	}

}
