package io.jobqueue.test;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.jobqueue.database.Database;
import io.jobqueue.database.StateCode;
import io.jobqueue.store.SqlFailure;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The order keys and limits of jobs that are due and have not run. What another
 * transaction has locked, the queue passes over, since whoever has it sees to its jobs.
 * Another test does not: it rolls back in the end.
 */
final class KeysOfDueJobs {

	private static final String DUE = """
			j.available_at <= {now} AND j.type IN (:types)
			  AND NOT EXISTS (SELECT 1 FROM jobqueue_queue q WHERE q.name = j.queue AND q.paused <> 0)""";

	private static final String ORDER_KEYS = """
			SELECT DISTINCT j.order_key
			FROM jobqueue_job j
			WHERE j.order_key IS NOT NULL AND j.state IN ({notRunning}) AND\s""" + DUE;

	/** A job that waits for its order key has not come to its limit yet. */
	private static final String LIMITS = """
			SELECT DISTINCT l.id, l.name, COALESCE(j.limit_key, '')
			FROM jobqueue_job j JOIN jobqueue_type t ON t.name = j.type JOIN jobqueue_limit l ON l.name = t.limit_name
			WHERE j.state IN ({allReady}, %d) AND\s""".formatted(StateCode.LIMITED) + DUE;

	private static final String LOCK_ORDER_KEY = """
			SELECT order_key FROM jobqueue_order_key{byPrimary} WHERE order_key = :key\s""";

	private static final String LOCK_ALLOWANCE = """
			SELECT limit_key FROM jobqueue_allowance{byPrimary} WHERE limit_id = :limit AND limit_key = :key\s""";

	private static final Duration PATIENCE = Duration.ofSeconds(5);

	private static final Duration PAUSE = Duration.ofMillis(100);

	private final Database database;

	private final Served served;

	/**
	 * Describes what to look for.
	 * @param database the database
	 * @param served which jobs
	 */
	KeysOfDueJobs(Database database, Served served) {
		this.database = database;
		this.served = served;
	}

	/**
	 * Waits a moment for those that another transaction has locked: the queue would wait
	 * for as long as the database lets it, which is most of a minute on MySQL.
	 * @throws IllegalStateException if one stays locked
	 */
	void await() {
		long start = System.nanoTime();
		for (List<String> locked = lockedNow(); !locked.isEmpty(); locked = lockedNow()) {
			if (System.nanoTime() - start > PATIENCE.toNanos()) {
				throw lockedBy(locked);
			}
			pause();
		}
	}

	private static void pause() {
		try {
			Thread.sleep(PAUSE.toMillis());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while a key was locked", ex);
		}
	}

	private List<String> lockedNow() {
		return due().stream().filter(this::isLocked).map(Key::toString).toList();
	}

	private boolean isLocked(Key key) {
		try {
			lock(key, "FOR UPDATE NOWAIT");
			return false;
		}
		catch (DataAccessException ex) {
			if (!SqlFailure.isConflict(ex)) {
				throw ex;
			}
			return true;
		}
	}

	/**
	 * Locks them for this test, if it has a transaction. Each has its row by now, since
	 * the queue has looked at its jobs.
	 * @return whether there are any
	 * @throws IllegalStateException if somebody else has locked one, or adds it
	 */
	boolean lock() {
		List<Key> due = due();
		List<String> locked = due.stream().filter((key) -> !lock(key, "{lockOrWait}")).map(Key::toString).toList();
		if (!locked.isEmpty()) {
			throw lockedBy(locked);
		}
		return !due.isEmpty();
	}

	private static IllegalStateException lockedBy(List<String> locked) {
		return new IllegalStateException("Jobs are due and could not run: another transaction has locked "
				+ String.join(", ", locked)
				+ ". Tests that run at the same time on one database, and use the same order key or limit, lock "
				+ "it from each other: give them a @ResourceLock, or keys of their own");
	}

	private boolean lock(Key key, String how) {
		return !this.database.sql((key.limit() == null) ? LOCK_ORDER_KEY + how : LOCK_ALLOWANCE + how)
			.param("limit", key.limitId())
			.param("key", key.name())
			.query((row, number) -> row.getString(1))
			.list()
			.isEmpty();
	}

	private List<Key> due() {
		if (this.served.isNothing()) {
			return List.of();
		}
		return Stream.concat(
				ofDue(ORDER_KEYS).query((row, number) -> new Key(null, 0, name(row.getString(1)))).list().stream(),
				ofDue(LIMITS).query((row, number) -> new Key(row.getString(2), row.getInt(1), name(row.getString(3))))
					.list()
					.stream())
			.toList();
	}

	private JdbcClient.StatementSpec ofDue(String select) {
		return this.served.statement(this.database::sql, select);
	}

	private String name(String stored) {
		return this.database.dialect().name(stored);
	}

	/**
	 * An order key, or a limit with the key that its place is of.
	 *
	 * @param limit the limit's name; null for an order key
	 * @param limitId its id
	 * @param name the key; empty for what all jobs of the limit share
	 */
	private record Key(@Nullable String limit, int limitId, String name) {

		@Override
		public String toString() {
			if (this.limit == null) {
				return "the order key '" + this.name + "'";
			}
			return "the limit '" + this.limit + "'" + (this.name.isEmpty() ? "" : " for the key '" + this.name + "'");
		}

	}

}
