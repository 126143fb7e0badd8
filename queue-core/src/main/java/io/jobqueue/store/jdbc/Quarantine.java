package io.jobqueue.store.jdbc;

import java.util.List;

import io.jobqueue.store.ClaimRequest;
import io.jobqueue.store.ReadyRange;

import org.springframework.dao.DuplicateKeyException;

/**
 * The quarantine: the one place of the cluster where a node runs empty for jobs that are
 * under strong suspicion, and where a job runs solo that may kill the database. Its row
 * names the session that has it, and is void once that session has ended.
 */
final class Quarantine {

	/**
	 * Whoever claims suspects waits here for the others who do, and sees what they did.
	 */
	private static final String LOCK = """
			SELECT session_id, solo FROM jobqueue_quarantine WHERE id = 1 FOR UPDATE""";

	private static final String INSERT = """
			INSERT INTO jobqueue_quarantine (id) VALUES (1)""";

	private static final String SET = """
			UPDATE jobqueue_quarantine SET session_id = :session, solo = :solo WHERE id = 1""";

	private static final String IS_LIVE = """
			SELECT COUNT(*) FROM jobqueue_session WHERE id = :session""";

	private static final String RUNNING_SUSPECTS = """
			SELECT COUNT(*)
			FROM jobqueue_job{byClaim}
			WHERE state = 1 AND (crashes > 0 OR outages > 0)""";

	private final Database database;

	Quarantine(Database database) {
		this.database = database;
	}

	/**
	 * Takes the quarantine, if nobody has it.
	 * @return whether the session has it now
	 */
	boolean enter(long session) {
		ensureRow();
		return this.database.transactions().run(() -> {
			State state = lock();
			boolean free = state.session() == 0 || state.session() == session || !isLive(state.session());
			if (free && state.session() != session) {
				set(session, 0);
			}
			return free;
		});
	}

	/**
	 * Gives the quarantine back, if the session has it.
	 */
	void leave(long session) {
		this.database.transactions().run(() -> {
			if (lock().session() == session) {
				set(0, 0);
			}
			return session;
		});
	}

	/**
	 * Locks the quarantine for a claim of suspects, in the transaction that is open.
	 * @return the ranges that may be claimed from: none of suspects while one of them
	 * runs solo on another node
	 */
	List<ReadyRange> allowed(ClaimRequest request) {
		if (request.ranges().stream().noneMatch(ReadyRange::isSuspect)) {
			return request.ranges();
		}
		State state = lock();
		boolean closed = state.solo() && state.session() != request.sessionId() && isLive(state.session());
		return closed ? request.ranges().stream().filter((range) -> !range.isSuspect()).toList() : request.ranges();
	}

	/**
	 * Begins a solo run, in the transaction that is open and has locked the quarantine.
	 * @return whether no other suspect runs on any node
	 */
	boolean beginSolo(long session) {
		State state = lock();
		boolean alone = this.database.sql(RUNNING_SUSPECTS).query(Long.class).single() == 0;
		if (state.session() != session || !alone) {
			return false;
		}
		if (!state.solo()) {
			set(session, 1);
		}
		return true;
	}

	private State lock() {
		return this.database.sql(LOCK)
			.query((row, number) -> new State(row.getLong(1), row.getInt(2) == 1))
			.optional()
			.orElse(new State(0, false));
	}

	private void set(long session, int solo) {
		this.database.sql(SET).param("session", session).param("solo", solo).update();
	}

	private boolean isLive(long session) {
		return this.database.sql(IS_LIVE).param("session", session).query(Long.class).single() > 0;
	}

	private void ensureRow() {
		try {
			this.database.transactions()
				.run(() -> this.database.sql("SELECT COUNT(*) FROM jobqueue_quarantine").query(Long.class).single() == 0
						? this.database.sql(INSERT).update() : 0);
		}
		catch (DuplicateKeyException ex) {
			// Another node was first; the row is there, which is all that is wanted.
		}
	}

	private record State(long session, boolean solo) {

	}

}
