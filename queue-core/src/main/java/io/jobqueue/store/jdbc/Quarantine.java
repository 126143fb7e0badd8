package io.jobqueue.store.jdbc;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

import io.jobqueue.poison.Permit;
import io.jobqueue.poison.Suspicion.Degree;
import io.jobqueue.poison.Suspicion;
import io.jobqueue.store.Claim;
import io.jobqueue.store.ReadyRange;
import io.jobqueue.store.SqlFailure;

import org.springframework.dao.DuplicateKeyException;

/**
 * What the nodes of a cluster agree on about suspects, as a row. It names the session
 * that may run empty for strong suspects, the name being void once that session has
 * ended, and the job that runs solo.
 * <p>
 * Every claim of suspects locks the row first: shared, or alone for those of which some
 * may be limited. So these are one after the other, and how many run is exact. Nobody
 * waits for the row: a claim that does not get it leaves suspects out.
 */
final class Quarantine {

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
			    CASE WHEN reserved_until > {now} AND reserved_until <= TIMESTAMPADD(SECOND, :reserved, {now})
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
			SET reserved_until = TIMESTAMPADD(SECOND, :reserved, {now})
			WHERE id = 1 AND (reserved_until < TIMESTAMPADD(SECOND, -:unreserved, {now})
			    OR reserved_until > TIMESTAMPADD(SECOND, :reserved, {now}))""";

	private static final String IS_LIVE = """
			SELECT COUNT(*) FROM jobqueue_session WHERE id = :session""";

	private static final String RUNS_SOLO = """
			SELECT COUNT(*) FROM jobqueue_job{byPrimary} WHERE id = :job AND state = 1 AND outages >= :soloOutages""";

	private static final String RUNNING_SUSPECTS = """
			SELECT COUNT(*), COALESCE(SUM(CASE WHEN outages >= :limitedOutages THEN 1 ELSE 0 END), 0)
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
			long owner = lock(LOCK).map(State::session).orElse(-1L);
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
			Optional<State> state = lock(LOCK);
			if (state.isPresent() && state.get().session() == session) {
				setSession(0);
			}
			return state.isPresent();
		});
	}

	/**
	 * Locks the row for a claim, if it is one of suspects, in the transaction that is
	 * open.
	 * @param ranges what is to be claimed from
	 * @return what may be
	 */
	Claimable claimable(List<ReadyRange> ranges) {
		if (ranges.stream().noneMatch(ReadyRange::isSuspect)) {
			return new Claimable(ranges, Permit.NONE);
		}
		State alone = ranges.stream().anyMatch(Quarantine::needsAll) ? lock(LOCK).orElse(null) : null;
		State state = (alone != null) ? alone : lock(LOCK_SHARED).orElse(null);
		if (state == null || (state.reserved() && alone == null) || runsSolo(state.soloJob())) {
			return new Claimable(without(ranges, ReadyRange::isSuspect), Permit.NONE);
		}
		if (alone == null) {
			return new Claimable(without(ranges, Quarantine::needsAll), Permit.NONE);
		}
		Permit permit = permit();
		return state.reserved() ? new Claimable(without(ranges, (range) -> range.degree() == Degree.FIRST),
				new Permit(0, permit.solo())) : new Claimable(ranges, permit);
	}

	private Permit permit() {
		return this.database.sql(RUNNING_SUSPECTS)
			.param("limitedOutages", Suspicion.LIMITED_OUTAGES)
			.query((row, number) -> new Permit(Math.max(0, Suspicion.LIMIT - row.getInt(2)), row.getLong(1) == 0))
			.single();
	}

	/**
	 * Keeps suspects waiting for one that must run solo, in the transaction that is open
	 * and has locked the row. Not if they have just waited.
	 */
	void reserve() {
		this.database.sql(RESERVE).param("reserved", RESERVED_SECONDS).param("unreserved", UNRESERVED_SECONDS).update();
	}

	/**
	 * Notes which job runs solo, in the transaction that is open and has locked the row.
	 * It does so for as long as that job's own row says that it runs.
	 */
	void runsSolo(Claim claim) {
		this.database.sql(SET_SOLO_JOB).param("job", claim.id()).update();
	}

	/**
	 * Whether some of its jobs may be limited, so that how many run has to be known.
	 */
	private static boolean needsAll(ReadyRange range) {
		return range.degree() == Degree.LIMITED || range.degree() == Degree.STRONG;
	}

	private static List<ReadyRange> without(List<ReadyRange> ranges, Predicate<ReadyRange> which) {
		return ranges.stream().filter(which.negate()).toList();
	}

	/**
	 * Locks the row.
	 * @return what it says; empty if somebody else has locked it
	 */
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
		return job != 0 && this.database.sql(RUNS_SOLO)
			.param("job", job)
			.param("soloOutages", Suspicion.SOLO_OUTAGES)
			.query(Long.class)
			.single() > 0;
	}

	/**
	 * What a claim may take.
	 *
	 * @param ranges from which ranges
	 * @param permit what the rest of the cluster leaves
	 */
	record Claimable(List<ReadyRange> ranges, Permit permit) {

		boolean hasLimited() {
			return this.ranges.stream().anyMatch(Claimable::isLimited);
		}

		Claimable withoutLimited() {
			return new Claimable(without(this.ranges, Claimable::isLimited), this.permit);
		}

		private static boolean isLimited(ReadyRange range) {
			return range.degree() == Degree.LIMITED;
		}

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
