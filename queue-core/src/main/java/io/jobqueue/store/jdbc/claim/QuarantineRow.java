package io.jobqueue.store.jdbc.claim;

import java.util.Optional;

import io.jobqueue.database.Database;

import org.springframework.dao.DuplicateKeyException;

/**
 * The row of the quarantine. Nobody waits for it.
 */
final class QuarantineRow {

	/**
	 * How long suspects wait for a job that must run solo, if others run when its turn
	 * comes; and how long they must have had their own way before.
	 */
	private static final int RESERVED_SECONDS = 3;

	private static final int UNRESERVED_SECONDS = 10;

	/**
	 * A time further ahead than a reservation lasts comes from a clock that was set back.
	 */
	private static final String SELECT = """
			SELECT session_id, solo_job_id,
			    CASE WHEN reserved_until > {now} AND reserved_until <= {now + :reserved SECOND}
			        THEN 1 ELSE 0 END AS reserved
			FROM jobqueue_quarantine{byPrimary}
			WHERE id = 1
			""";

	private static final String LOCK = SELECT + "FOR UPDATE SKIP LOCKED";

	private static final String LOCK_SHARED = SELECT + "{lockShared} SKIP LOCKED";

	private static final String COUNT = """
			SELECT COUNT(*) FROM jobqueue_quarantine""";

	private static final String INSERT = """
			INSERT INTO jobqueue_quarantine (id) VALUES (1)""";

	private static final String SET_SESSION = """
			UPDATE jobqueue_quarantine SET session_id = :session WHERE id = 1""";

	private static final String SET_SOLO_JOB = """
			UPDATE jobqueue_quarantine SET solo_job_id = :job, reserved_until = '1970-01-01 00:00:00' WHERE id = 1""";

	private static final String RESERVE = """
			UPDATE jobqueue_quarantine
			SET reserved_until = {now + :reserved SECOND}
			WHERE id = 1 AND (reserved_until < {now + -:unreserved SECOND}
			    OR reserved_until > {now + :reserved SECOND})""";

	private final Database database;

	QuarantineRow(Database database) {
		this.database = database;
	}

	/**
	 * Locks the row alone.
	 * @return what it says; empty if somebody else has locked it
	 */
	Optional<State> lock() {
		return lock(LOCK);
	}

	/**
	 * Locks the row together with others who do that.
	 * @return what it says; empty if somebody else has locked it alone
	 */
	Optional<State> lockShared() {
		return lock(LOCK_SHARED);
	}

	private Optional<State> lock(String statement) {
		Optional<State> state = tryLock(statement);
		return (state.isEmpty() && insert()) ? tryLock(statement) : state;
	}

	private Optional<State> tryLock(String statement) {
		return this.database.sql(statement)
			.param("reserved", RESERVED_SECONDS)
			.query((row, number) -> new State(row.getLong(1), row.getLong(2), row.getInt(3) == 1))
			.optional();
	}

	/**
	 * The row comes with the table. It is missed if somebody has truncated that.
	 */
	private boolean insert() {
		if (this.database.sql(COUNT).query(Long.class).single() > 0) {
			return false;
		}
		try {
			return this.database.sql(INSERT).update() == 1;
		}
		catch (DuplicateKeyException ex) {
			// Another node was first.
			return false;
		}
	}

	void setSession(long session) {
		this.database.sql(SET_SESSION).param("session", session).update();
	}

	void setSoloJob(long job) {
		this.database.sql(SET_SOLO_JOB).param("job", job).update();
	}

	/**
	 * Reserves the next seconds for a job that must run solo, unless some have just been
	 * reserved.
	 */
	void reserve() {
		this.database.sql(RESERVE).param("reserved", RESERVED_SECONDS).param("unreserved", UNRESERVED_SECONDS).update();
	}

	/**
	 * What the row says.
	 *
	 * @param session the session that has the quarantine; 0 for none
	 * @param soloJob the job that ran solo last; 0 for none
	 * @param reserved whether suspects wait for a job that must run solo
	 */
	record State(long session, long soloJob, boolean reserved) {

	}

}
