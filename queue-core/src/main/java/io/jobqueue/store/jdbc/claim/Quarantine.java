package io.jobqueue.store.jdbc.claim;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

import io.jobqueue.database.Database;
import io.jobqueue.poison.Permit;
import io.jobqueue.poison.Suspicion.Degree;
import io.jobqueue.poison.Suspicion;
import io.jobqueue.store.Claim;
import io.jobqueue.store.ReadyRange;

/**
 * What the nodes of a cluster agree on about suspects, as a row. It names the session
 * that may run empty for strong suspects, the name being void once that session has
 * ended, and the job that runs solo.
 * <p>
 * Every claim of suspects locks the row first: shared, or alone for those of which some
 * may be limited. So these are one after the other, and how many run is exact. Nobody
 * waits for the row: a claim that does not get it leaves suspects out.
 */
public final class Quarantine {

	private static final String IS_LIVE = """
			SELECT COUNT(*) FROM jobqueue_session WHERE id = :session""";

	private static final String RUNS_SOLO = """
			SELECT COUNT(*) FROM jobqueue_job{byPrimary} WHERE id = :job AND state = 1 AND outages >= :soloOutages""";

	private static final String RUNNING_SUSPECTS = """
			SELECT COUNT(*), COALESCE(SUM(CASE WHEN outages >= :limitedOutages THEN 1 ELSE 0 END), 0)
			FROM jobqueue_job{byClaim}
			WHERE state = 1 AND (crashes > 0 OR outages > 0)""";

	private final Database database;

	private final QuarantineRow row;

	public Quarantine(Database database) {
		this.database = database;
		this.row = new QuarantineRow(database);
	}

	/**
	 * Takes the quarantine, if nobody has it.
	 * @return whether the session has it now
	 */
	public boolean enter(long session) {
		return this.database.transactions().run(() -> {
			long owner = this.row.lock().map(QuarantineRow.State::session).orElse(-1L);
			if (owner != 0 && owner != session && (owner == -1 || isLive(owner))) {
				return false;
			}
			this.row.setSession(session);
			return true;
		});
	}

	/**
	 * Gives the quarantine back, if the session has it.
	 * @return false if the row is locked
	 */
	public boolean leave(long session) {
		return this.database.transactions().run(() -> {
			Optional<QuarantineRow.State> state = this.row.lock();
			if (state.isPresent() && state.get().session() == session) {
				this.row.setSession(0);
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
	public Claimable claimable(List<ReadyRange> ranges) {
		if (ranges.stream().noneMatch(ReadyRange::isSuspect)) {
			return new Claimable(ranges, Permit.NONE);
		}
		QuarantineRow.State alone = ranges.stream().anyMatch(Quarantine::needsAll) ? this.row.lock().orElse(null)
				: null;
		QuarantineRow.State state = (alone != null) ? alone : this.row.lockShared().orElse(null);
		if (state == null || (state.reserved() && alone == null) || runsSolo(state.soloJob())) {
			return new Claimable(without(ranges, ReadyRange::isSuspect), Permit.NONE);
		}
		if (alone == null) {
			return new Claimable(without(ranges, Quarantine::needsAll), Permit.NONE);
		}
		Permit permit = permit();
		return state.reserved()
				? new Claimable(without(ranges, (range) -> mustWait(range, permit)), new Permit(0, permit.solo()))
				: new Claimable(ranges, permit);
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
		this.row.reserve();
	}

	/**
	 * Notes which job runs solo, in the transaction that is open and has locked the row.
	 * It does so for as long as that job's own row says that it runs.
	 */
	void runsSolo(Claim claim) {
		this.row.setSoloJob(claim.id());
	}

	/**
	 * Whether a range has to wait while a turn is reserved for a job that must run solo.
	 */
	private static boolean mustWait(ReadyRange range, Permit permit) {
		return range.degree() == Degree.FIRST || (range.degree() == Degree.STRONG && !permit.solo());
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

	}

}
