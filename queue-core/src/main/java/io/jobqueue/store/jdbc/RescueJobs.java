package io.jobqueue.store.jdbc;

import java.time.Duration;
import java.util.List;

import io.jobqueue.store.Claim;
import io.jobqueue.store.Finish;
import io.jobqueue.store.OverdueJob;

/**
 * rescue: RUNNING → READY after a crash, under suspicion and with the attempt not
 * counted. It also finds whom to rescue: running jobs whose session is gone or whose
 * deadline has passed. Running jobs are few, however many are ready, and have a range of
 * the claim index to themselves.
 */
final class RescueJobs implements Ending<Finish.Rescue> {

	/**
	 * What is sorted by id are the running jobs only. An order that does not change while
	 * jobs are taken lets a round go on behind those that it cannot take.
	 */
	private static final String OVERDUE = """
			SELECT j.id, j.fence, j.type, j.attempt, j.max_attempts, j.crashes, j.held_limit,
			    CASE WHEN s.id IS NULL THEN 1 ELSE 0 END AS orphaned,
			    TIMESTAMPDIFF(MICROSECOND, j.claimed_at, {now}) AS held_for,
			    TIMESTAMPDIFF(MICROSECOND, j.claimed_at, j.deadline_at) AS allowed
			FROM jobqueue_job j{byClaim}
			LEFT JOIN jobqueue_session s ON s.id = j.session_id
			WHERE j.state = 1 AND j.id > :after AND (s.id IS NULL OR j.deadline_at < {now})
			ORDER BY j.id
			LIMIT :limit""";

	private static final String HELD = """
			SELECT id, fence
			FROM jobqueue_job{byClaim}
			WHERE state = 1 AND session_id = :session""";

	private static final String UPDATE = """
			UPDATE jobqueue_job{byPrimary}
			SET state = {readyAfterCrash}, fence = fence + 1, session_id = 0,
			    crashes = crashes + 1, held_limit = 0,
			    attempt = attempt - 1, deadline_at = '9999-12-31 00:00:00'
			WHERE id IN (:ids)""";

	private final Database database;

	private final StoreErrors errors;

	RescueJobs(Database database, StoreErrors errors) {
		this.database = database;
		this.errors = errors;
	}

	List<OverdueJob> overdue(long after, int limit) {
		return this.database.read(() -> readOverdue(after, limit));
	}

	private List<OverdueJob> readOverdue(long after, int limit) {
		return this.database.sql(OVERDUE)
			.param("after", after)
			.param("limit", limit)
			.query((row, number) -> new OverdueJob(new Claim(row.getLong("id"), row.getLong("fence")),
					row.getString("type"), row.getInt("attempt"), row.getInt("max_attempts"), row.getInt("crashes"),
					row.getInt("held_limit"), row.getInt("orphaned") == 1, notNegative(row.getLong("held_for")),
					notNegative(row.getLong("allowed"))))
			.list();
	}

	private static Duration notNegative(long micros) {
		return Utc.ofMicros(Math.max(0, micros));
	}

	List<Claim> heldBy(long sessionId, boolean inTransaction) {
		return inTransaction ? this.database.transactions().run(() -> readHeldBy(sessionId))
				: this.database.read(() -> readHeldBy(sessionId));
	}

	private List<Claim> readHeldBy(long sessionId) {
		return this.database.sql(HELD)
			.param("session", sessionId)
			.query((row, number) -> new Claim(row.getLong("id"), row.getLong("fence")))
			.list();
	}

	@Override
	public Class<Finish.Rescue> type() {
		return Finish.Rescue.class;
	}

	@Override
	public void end(List<Finish.Rescue> rescues, LockClaims.Locked locked) {
		this.errors
			.store(rescues.stream().map((rescue) -> new StoreErrors.Entry(rescue.claim(), rescue.failure())).toList());
		this.database.numbers(UPDATE).ids(rescues.stream().map((rescue) -> rescue.claim().id()).toList()).update();
	}

}
