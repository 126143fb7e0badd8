package io.jobqueue.store.jdbc.rowlock;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
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
			SELECT b.job_id, b.fence, b.session_id, b.connection_id, b.server, b.freed, b.left_running,
			    CASE WHEN s.id IS NULL THEN 1 ELSE 0 END AS orphaned,
			    TIMESTAMPDIFF(MICROSECOND, b.started_at, {now}) AS held_for,
			    TIMESTAMPDIFF(MICROSECOND, b.started_at, b.deadline_at) AS allowed
			FROM jobqueue_start b
			LEFT JOIN jobqueue_session s ON s.id = b.session_id
			WHERE s.id IS NULL OR (b.freed = 0 AND (b.deadline_at < {now} OR b.job_id IN (:ids)))""";

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

	/** No job has this number. */
	private static final List<Long> NONE = List.of(0L);

	/** Rescue takes it back at once. */
	private static final Duration NO_TIME = Duration.ZERO;

	/** Only what is locked each time is taken for locked by its worker. */
	private static final int LOOKS = 3;

	/** At random, since others look at it in the same rhythm. */
	private static final long LEAST_BETWEEN_LOOKS = Duration.ofMillis(50).toNanos();

	private static final long MOST_BETWEEN_LOOKS = Duration.ofMillis(200).toNanos();

	private final Database database;

	private final ClaimBegun begun;

	private final StartRecords starts;

	private final CloseConnection close;

	private final FreeLost freeLost;

	/** Whose connections could not be closed; used by one thread at a time. */
	private final Set<Claim> told = ConcurrentHashMap.newKeySet();

	EndGone(Database database, FreeLost freeLost) {
		this.database = database;
		this.freeLost = freeLost;
		this.begun = new ClaimBegun(database);
		this.starts = new StartRecords(database);
		this.close = new CloseConnection(database);
	}

	/**
	 * Sees to them.
	 * @param over what is over, whatever its session and its deadline say; those that
	 * have been seen to are taken out
	 * @param elapsed takes from a time by the database's clock what the clock has jumped
	 * @return how many jobs are now claims of sessions that have ended
	 */
	int run(Set<Claim> over, UnaryOperator<Duration> elapsed) {
		int claimed = 0;
		Set<Claim> known = Set.copyOf(over);
		// An old replica does not show what was begun a moment ago.
		List<Begun> found = known.isEmpty() ? this.database.read(() -> gone(known))
				: this.database.transactions().run(() -> gone(known));
		known.stream().filter((claim) -> found.stream().noneMatch((one) -> one.isOpen(claim))).forEach(over::remove);
		// A deadline that has passed only because the clock has jumped is none.
		List<Begun> left = found.stream()
			.filter((one) -> one.freed() || one.orphaned() || known.contains(one.claim())
					|| elapsed.apply(one.heldFor()).compareTo(one.allowed()) >= 0)
			.toList();
		for (int looks = 1; looks <= LOOKS && !left.isEmpty(); looks++) {
			if (looks > 1) {
				LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(LEAST_BETWEEN_LOOKS, MOST_BETWEEN_LOOKS));
				if (Thread.currentThread().isInterrupted()) {
					return claimed;
				}
			}
			Map<Begun, Found> looked = new LinkedHashMap<>();
			left.forEach(
					(one) -> looked.put(one, unlessItFails(one, () -> inTransaction(() -> look(one)), Found.DONE)));
			claimed += Collections.frequency(looked.values(), Found.CLAIMED);
			left = left.stream().filter((one) -> looked.get(one) == Found.LOCKED).toList();
		}
		this.told.retainAll(left.stream().map(Begun::claim).toList());
		left.forEach((one) -> unlessItFails(one, () -> close(one), false));
		return claimed;
	}

	private static <T> T unlessItFails(Begun one, Supplier<T> work, T otherwise) {
		try {
			return work.get();
		}
		catch (RuntimeException ex) {
			if (SqlFailure.isOutage(ex) || ex instanceof UnknownOutcomeException) {
				throw ex;
			}
			log.warn("What worker session {} has begun, job {}, could not be seen to in this round",
					one.claim().session(), one.claim().id(), ex);
			return otherwise;
		}
	}

	/**
	 * Looks at a row. Other nodes do so as well, so one that is locked once may be locked
	 * by them.
	 */
	private Found look(Begun one) {
		Claim claim = one.claim();
		if (one.freed()) {
			countCrash(claim);
			return Found.DONE;
		}
		if (!isThere(READY, claim)) {
			this.starts.delete(claim);
			return Found.DONE;
		}
		if (!this.begun.lock(claim)) {
			return Found.LOCKED;
		}
		if (one.orphaned() && !one.leftRunning()) {
			return this.begun.claim(claim, NO_TIME) ? Found.CLAIMED : Found.DONE;
		}
		this.freeLost.free(List.of(claim));
		return Found.DONE;
	}

	private <T> T inTransaction(Supplier<T> work) {
		return this.database.transactions().run(LockWaits.SHORT, work);
	}

	private List<Begun> gone(Set<Claim> over) {
		return this.database.numbers(GONE)
			.ids(over.isEmpty() ? NONE : over.stream().map(Claim::id).toList())
			.query((row, number) -> new Begun(
					new Claim(row.getLong("job_id"), row.getLong("fence"), row.getLong("session_id")),
					row.getLong("connection_id"), row.getString("server"), row.getInt("freed") == 1,
					row.getInt("left_running") == 1, row.getInt("orphaned") == 1, Utc.ofMicros(row.getLong("held_for")),
					Utc.ofMicros(row.getLong("allowed"))));
	}

	private void countCrash(Claim claim) {
		boolean locked = isThere(LOCK, claim);
		if (locked) {
			this.database.numbers(CRASH).param("id", claim.id()).param("fence", claim.fence()).update();
		}
		if (locked || !isThere(LIVE, claim)) {
			this.starts.delete(claim);
		}
	}

	private boolean isThere(String statement, Claim claim) {
		return !this.database.numbers(statement)
			.param("id", claim.id())
			.param("fence", claim.fence())
			.query((row, number) -> row.getLong(1))
			.isEmpty();
	}

	private boolean close(Begun one) {
		if (!this.database.can(Capability.CLOSE_CONNECTIONS)) {
			return false;
		}
		boolean closed = this.close.close(one.connection(), one.server(), one.heldFor());
		if (this.told.add(one.claim()) || closed) {
			log.warn("Connection {} on {} {}: it keeps the row of job {} locked, though {}", one.connection(),
					one.server(), closed ? "was closed" : "should be closed, and could not be", one.claim().id(),
					one.why());
		}
		return closed;
	}

	/**
	 * What a look has found.
	 */
	private enum Found {

		/** Somebody has the row locked. */
		LOCKED,

		/** It is now a claim of the session that has ended. */
		CLAIMED,

		/** There is nothing more to do. */
		DONE

	}

}
