package io.jobqueue.store.jdbc.rowlock;

import java.time.Duration;
import java.util.List;

import io.jobqueue.database.Capability;
import io.jobqueue.database.Database;
import io.jobqueue.store.Claim;

/**
 * Sees to the jobs that sessions have begun which have ended, and to those that are past
 * their deadlines.
 */
final class EndGone {

	private static final String GONE = """
			SELECT b.job_id, b.fence, b.session_id, b.connection_id, b.freed,
			    CASE WHEN s.id IS NULL THEN 1 ELSE 0 END AS orphaned,
			    TIMESTAMPDIFF(SECOND, b.started_at, {now}) AS seconds
			FROM jobqueue_start b
			LEFT JOIN jobqueue_session s ON s.id = b.session_id
			WHERE s.id IS NULL OR (b.freed = 0 AND b.deadline_at < {now})""";

	private static final String LOCK = """
			SELECT id FROM jobqueue_job{byPrimary} WHERE id = :id FOR UPDATE SKIP LOCKED""";

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

	private final CloseConnection close;

	EndGone(Database database) {
		this.database = database;
		this.begun = new ClaimBegun(database);
		this.close = new CloseConnection(database);
	}

	int run() {
		int claimed = 0;
		for (Begun one : this.database.read(this::gone)) {
			if (one.freed()) {
				this.database.transactions().run(() -> countCrash(one.claim()));
			}
			else if (one.orphaned()
					&& this.database.transactions().run(() -> this.begun.lockAndClaim(one.claim(), NO_TIME))) {
				claimed++;
			}
			else {
				closeOrForget(one);
			}
		}
		return claimed;
	}

	private List<Begun> gone() {
		return this.database.sql(GONE)
			.query((row, number) -> new Begun(
					new Claim(row.getLong("job_id"), row.getLong("fence"), row.getLong("session_id")),
					row.getLong("connection_id"), row.getInt("freed") == 1, row.getInt("orphaned") == 1,
					Duration.ofSeconds(row.getLong("seconds"))))
			.list();
	}

	private boolean countCrash(Claim claim) {
		boolean locked = !this.database.sql(LOCK).param("id", claim.id()).query(Long.class).list().isEmpty();
		boolean live = locked || !this.database.sql(LOCK.replace(" FOR UPDATE SKIP LOCKED", ""))
			.param("id", claim.id())
			.query(Long.class)
			.list()
			.isEmpty();
		if (locked) {
			this.database.numbers(CRASH).param("id", claim.id()).param("fence", claim.fence()).update();
		}
		if (locked || !live) {
			this.begun.deleteRecord(claim);
		}
		return locked;
	}

	private void closeOrForget(Begun one) {
		boolean ready = this.database.transactions()
			.run(() -> !this.database.numbers(READY)
				.param("id", one.claim().id())
				.param("fence", one.claim().fence())
				.query((row, number) -> row.getLong(1))
				.isEmpty());
		if (!ready) {
			this.database.transactions().run(() -> this.begun.deleteRecord(one.claim()));
		}
		else if (this.database.can(Capability.CLOSE_CONNECTIONS)) {
			this.close.close(one.connection(), one.since());
		}
	}

	/**
	 * A job that was begun.
	 */
	private record Begun(Claim claim, long connection, boolean freed, boolean orphaned, Duration since) {

	}

}
