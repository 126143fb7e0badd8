package io.jobqueue.store.jdbc.rowlock;

import java.time.Duration;

import io.jobqueue.database.Database;
import io.jobqueue.database.Utc;
import io.jobqueue.store.Claim;
import io.jobqueue.store.jdbc.table.StartRecords;

/**
 * Makes an ordinary claim of a job that was begun, or found: READY → RUNNING. From then
 * on it ends in the ordinary way. Each change of a ready job raises its fence, so whoever
 * has the row locked, and finds the fence that was read, is the only one to have the job.
 */
final class ClaimBegun {

	private static final String LOCK = """
			SELECT id FROM jobqueue_job{byPrimary} WHERE id = :id AND fence = :fence - 1 AND state = 0
			FOR UPDATE SKIP LOCKED""";

	private static final String UPDATE = """
			UPDATE jobqueue_job{byPrimary}
			SET state = 1, fence = fence + 1, attempt = attempt + 1, session_id = :session, held_limit = 0,
			    claimed_at = {now}, deadline_at = {now + :most MICROSECOND}
			WHERE id = :id AND fence = :fence - 1 AND state = 0""";

	private final Database database;

	private final StartRecords starts;

	ClaimBegun(Database database) {
		this.database = database;
		this.starts = new StartRecords(database);
	}

	/**
	 * Locks the row and claims the job; not if the row is locked.
	 */
	boolean lockAndClaim(Claim claim, Duration most) {
		return lock(claim) && claim(claim, most);
	}

	/**
	 * Locks the row of a job that has not started; not if it is locked.
	 */
	boolean lock(Claim claim) {
		return !this.database.numbers(LOCK)
			.param("id", claim.id())
			.param("fence", claim.fence())
			.query((row, number) -> row.getLong(1))
			.isEmpty();
	}

	/**
	 * Claims a job whose row the transaction has locked.
	 */
	boolean claim(Claim claim, Duration most) {
		this.starts.delete(claim);
		return this.database.numbers(UPDATE)
			.param("id", claim.id())
			.param("fence", claim.fence())
			.param("session", claim.session())
			.param("most", Utc.micros(most))
			.update() == 1;
	}

}
