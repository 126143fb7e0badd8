package io.jobqueue.store.jdbc;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

import io.jobqueue.poison.Suspicion.Degree;
import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimRequest;
import io.jobqueue.store.ReadyRange;
import io.jobqueue.store.SqlFailure;

import org.springframework.dao.DuplicateKeyException;

/**
 * The quarantine of the cluster, as a row. It names the session that may run empty for
 * suspects; the name is void once that session has ended. Whoever claims suspects locks
 * the row first, so that those who do are one after the other, and a job that must run
 * solo can tell for certain that no other suspect runs. Nobody waits for the row: a claim
 * that does not get it leaves suspects out.
 */
final class Quarantine {

	/**
	 * How long suspects elsewhere wait for a job that must run solo, if other suspects
	 * run when its turn comes; and how long they must have had their own way before.
	 */
	private static final int RESERVED_SECONDS = 3;

	private static final int UNRESERVED_SECONDS = 10;

	/**
	 * A time further ahead than a reservation lasts comes from a clock that was set back.
	 */
	private static final String LOCK = """
			SELECT session_id, solo_job_id,
			    CASE WHEN reserved_until > {now} AND reserved_until <= TIMESTAMPADD(SECOND, :reserved, {now})
			        THEN 1 ELSE 0 END AS reserved
			FROM jobqueue_quarantine{byPrimary}
			WHERE id = 1
			FOR UPDATE SKIP LOCKED""";

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
			SET reserved_until = TIMESTAMPADD(SECOND, :reserved, {now})
			WHERE id = 1 AND (reserved_until < TIMESTAMPADD(SECOND, -:unreserved, {now})
			    OR reserved_until > TIMESTAMPADD(SECOND, :reserved, {now}))""";

	private static final String IS_LIVE = """
			SELECT COUNT(*) FROM jobqueue_session WHERE id = :session""";

	private static final String RUNS_SOLO = """
			SELECT COUNT(*) FROM jobqueue_job{byPrimary} WHERE id = :job AND state = 1 AND company = -1""";

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
		return this.database.transactions().run(() -> {
			long owner = lock().map(State::session).orElse(-1L);
			if (owner != 0 && owner != session && (owner == -1 || isLive(owner))) {
				return false;
			}
			setSession(session);
			return true;
		});
	}

	/**
	 * Gives the quarantine back, if the session has it.
	 * @return false if the row is locked
	 */
	boolean leave(long session) {
		return this.database.transactions().run(() -> {
			Optional<State> state = lock();
			if (state.isPresent() && state.get().session() == session) {
				setSession(0);
			}
			return state.isPresent();
		});
	}

	/**
	 * Locks the quarantine for a claim, if it is one of suspects, in the transaction that
	 * is open.
	 * @return the ranges that may be claimed from
	 */
	List<ReadyRange> claimable(ClaimRequest request) {
		List<ReadyRange> ranges = request.ranges();
		if (ranges.stream().noneMatch(ReadyRange::isSuspect)) {
			return ranges;
		}
		State state = lock().orElse(null);
		if (state == null || runsSolo(state.soloJob())) {
			return without(ranges, ReadyRange::isSuspect);
		}
		boolean own = state.session() == request.sessionId();
		if (state.reserved() && !own) {
			return without(ranges, ReadyRange::isSuspect);
		}
		if (ranges.stream().noneMatch(Quarantine::isSolo)) {
			return ranges;
		}
		if (own && this.database.sql(RUNNING_SUSPECTS).query(Long.class).single() == 0) {
			return ranges;
		}
		if (own) {
			this.database.sql(RESERVE)
				.param("reserved", RESERVED_SECONDS)
				.param("unreserved", UNRESERVED_SECONDS)
				.update();
		}
		return without(ranges, Quarantine::isSolo);
	}

	/**
	 * Notes which job runs solo, in the transaction that is open and has locked the
	 * quarantine. It does so for as long as that job's row says it.
	 */
	void runsSolo(Claim claim) {
		this.database.sql(SET_SOLO_JOB).param("job", claim.id()).update();
	}

	private static boolean isSolo(ReadyRange range) {
		return range.degree() == Degree.SOLO;
	}

	private static List<ReadyRange> without(List<ReadyRange> ranges, Predicate<ReadyRange> which) {
		return ranges.stream().filter(which.negate()).toList();
	}

	/**
	 * Locks the row.
	 * @return what it says; empty if somebody else has locked it
	 */
	private Optional<State> lock() {
		Optional<State> state = tryLock();
		return (state.isEmpty() && insert()) ? tryLock() : state;
	}

	private Optional<State> tryLock() {
		return this.database.sql(LOCK)
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
		catch (RuntimeException ex) {
			if (SqlFailure.isConflict(ex)) {
				// Another node is about to, and does not get on.
				return false;
			}
			throw ex;
		}
	}

	private void setSession(long session) {
		this.database.sql(SET_SESSION).param("session", session).update();
	}

	private boolean isLive(long session) {
		return this.database.sql(IS_LIVE).param("session", session).query(Long.class).single() > 0;
	}

	private boolean runsSolo(long job) {
		return job != 0 && this.database.sql(RUNS_SOLO).param("job", job).query(Long.class).single() > 0;
	}

	/**
	 * What the row says.
	 *
	 * @param session the session that has the quarantine; 0 for none
	 * @param soloJob the job that ran solo last; 0 for none
	 * @param reserved whether suspects wait for a job that must run solo
	 */
	private record State(long session, long soloJob, boolean reserved) {

	}

}
