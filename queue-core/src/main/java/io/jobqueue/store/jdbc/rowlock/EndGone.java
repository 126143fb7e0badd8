package io.jobqueue.store.jdbc.rowlock;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import io.jobqueue.UnknownOutcomeException;
import io.jobqueue.database.Capability;
import io.jobqueue.database.Database;
import io.jobqueue.database.Utc;
import io.jobqueue.store.Claim;
import io.jobqueue.store.LockWaits;
import io.jobqueue.store.SqlFailure;
import io.jobqueue.store.jdbc.table.StartRecords;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sees to the jobs that sessions have begun which have ended, and to those that are past
 * their deadlines.
 */
final class EndGone {

	private static final Logger log = LoggerFactory.getLogger(EndGone.class);

	private static final String GONE = """
			SELECT b.job_id, b.fence, b.session_id, b.connection_id, b.server, b.freed,
			    CASE WHEN s.id IS NULL THEN 1 ELSE 0 END AS orphaned,
			    TIMESTAMPDIFF(MICROSECOND, b.started_at, {now}) AS held_for,
			    TIMESTAMPDIFF(MICROSECOND, b.started_at, b.deadline_at) AS allowed
			FROM jobqueue_start b
			LEFT JOIN jobqueue_session s ON s.id = b.session_id
			WHERE s.id IS NULL OR (b.freed = 0 AND b.deadline_at < {now})""";

	private static final String LIVE = """
			SELECT id FROM jobqueue_job{byPrimary} WHERE id = :id""";

	private static final String LOCK = LIVE + " FOR UPDATE SKIP LOCKED";

	private static final String READY = """
			SELECT id FROM jobqueue_job{byPrimary} WHERE id = :id AND fence = :fence - 1 AND state = 0""";

	/**
	 * What looked like an outage was a crash. While it runs, its claim goes on; the state
	 * comes first, since it is computed from what follows.
	 */
	private static final String CRASH = """
			UPDATE jobqueue_job{byPrimary}
			SET state = CASE WHEN state = 1 THEN 1 ELSE {readyAsCrash} END,
			    fence = CASE WHEN state = 1 THEN fence ELSE fence + 1 END,
			    crashes = crashes + 1, outages = outages - 1
			WHERE id = :id AND fence >= :fence AND outages > 0""";

	/** Rescue takes it back at once. */
	private static final Duration NO_TIME = Duration.ZERO;

	private final Database database;

	private final ClaimBegun begun;

	private final StartRecords starts;

	private final CloseConnection close;

	EndGone(Database database) {
		this.database = database;
		this.begun = new ClaimBegun(database);
		this.starts = new StartRecords(database);
		this.close = new CloseConnection(database);
	}

	int run(UnaryOperator<Duration> elapsed) {
		int claimed = 0;
		for (Begun one : this.database.read(this::gone)) {
			try {
				claimed += end(one, elapsed);
			}
			catch (RuntimeException ex) {
				if (SqlFailure.isOutage(ex) || ex instanceof UnknownOutcomeException) {
					throw ex;
				}
				log.warn("What worker session {} has begun, job {}, could not be seen to in this round",
						one.claim().session(), one.claim().id(), ex);
			}
		}
		return claimed;
	}

	private int end(Begun one, UnaryOperator<Duration> elapsed) {
		if (one.freed()) {
			inTransaction(() -> countCrash(one.claim()));
			return 0;
		}
		if (one.orphaned() && inTransaction(() -> this.begun.lockAndClaim(one.claim(), NO_TIME))) {
			return 1;
		}
		// A deadline that has passed only because the clock has jumped is none.
		if (one.orphaned() || elapsed.apply(one.heldFor()).compareTo(one.allowed()) >= 0) {
			closeOrForget(one);
		}
		return 0;
	}

	private boolean inTransaction(Supplier<Boolean> work) {
		return this.database.transactions().run(LockWaits.SHORT, work);
	}

	private List<Begun> gone() {
		return this.database.sql(GONE)
			.query((row, number) -> new Begun(
					new Claim(row.getLong("job_id"), row.getLong("fence"), row.getLong("session_id")),
					row.getLong("connection_id"), row.getString("server"), row.getInt("freed") == 1,
					row.getInt("orphaned") == 1, Utc.ofMicros(row.getLong("held_for")),
					Utc.ofMicros(row.getLong("allowed"))))
			.list();
	}

	private boolean countCrash(Claim claim) {
		boolean locked = isThere(LOCK, claim);
		if (locked) {
			this.database.numbers(CRASH).param("id", claim.id()).param("fence", claim.fence()).update();
		}
		if (locked || !isThere(LIVE, claim)) {
			this.starts.delete(claim);
		}
		return locked;
	}

	private boolean isThere(String statement, Claim claim) {
		return !this.database.numbers(statement)
			.param("id", claim.id())
			.param("fence", claim.fence())
			.query((row, number) -> row.getLong(1))
			.isEmpty();
	}

	private void closeOrForget(Begun one) {
		boolean locked = inTransaction(() -> isStillLocked(one.claim()));
		if (locked && this.database.can(Capability.CLOSE_CONNECTIONS)) {
			boolean closed = this.close.close(one.connection(), one.server(), one.heldFor());
			log.warn(
					"Connection {} on {} {}: it keeps the row of job {} locked, though worker session {} has ended, or the "
							+ "job has run past its deadline",
					one.connection(), one.server(), closed ? "was closed" : "should be closed, and could not be",
					one.claim().id(), one.claim().session());
		}
	}

	/**
	 * A row that nobody has locked is found by those who look for lost jobs, and needs no
	 * connection to be closed.
	 */
	private boolean isStillLocked(Claim claim) {
		if (!isThere(READY, claim)) {
			this.starts.delete(claim);
			return false;
		}
		return !this.begun.lock(claim);
	}

	/**
	 * A job that was begun.
	 */
	private record Begun(Claim claim, long connection, String server, boolean freed, boolean orphaned, Duration heldFor,
			Duration allowed) {

	}

}
