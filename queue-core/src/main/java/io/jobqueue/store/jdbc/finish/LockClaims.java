package io.jobqueue.store.jdbc.finish;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

import io.jobqueue.database.Capability;
import io.jobqueue.database.Chunks;
import io.jobqueue.database.Database;
import io.jobqueue.store.Claim;
import org.jspecify.annotations.Nullable;

/**
 * The fence check that comes before every write after a claim: locks the jobs and tells
 * which claims are current; as many as fit into one IN list. Jobs that another
 * transaction has locked are passed over where the database can do so. The statements
 * that follow need no check of their own, since nobody else can write to these rows
 * before the transaction ends. (INSERT … SELECT alone would lock nothing in its source at
 * READ COMMITTED.)
 */
public final class LockClaims {

	private static final String SELECT = """
			SELECT id, fence, session_id, large_payload, order_key
			FROM jobqueue_job{byPrimary}
			WHERE id IN (:ids) AND state = 1
			FOR UPDATE""";

	/**
	 * A claim by compare-and-set locks, for as long as it looks at it, a job that it has
	 * read before this one was claimed; where processors are scarce, for milliseconds.
	 */
	private static final int LOOKS = 7;

	private static final long PAUSE_NANOS = 250_000;

	private final Database database;

	private final String select;

	public LockClaims(Database database) {
		this.database = database;
		// Elsewhere a row that somebody has locked is waited for.
		this.select = database.can(Capability.LOCK_ONLY_WHAT_IS_READ) ? SELECT + " SKIP LOCKED" : SELECT;
	}

	/**
	 * Locks jobs until the transaction ends.
	 * @param claims the claims on them
	 * @return what is locked
	 */
	Locked lock(Collection<Claim> claims) {
		Set<Claim> missing = new LinkedHashSet<>(claims);
		List<Found> current = new ArrayList<>();
		for (int looks = 1; looks <= LOOKS && !missing.isEmpty(); looks++) {
			if (looks > 1) {
				LockSupport.parkNanos(PAUSE_NANOS << looks);
			}
			for (Found found : find(this.select, missing)) {
				if (missing.remove(found.claim())) {
					current.add(found);
				}
			}
		}
		return locked(current);
	}

	private static Locked locked(List<Found> current) {
		Map<Long, String> keys = new HashMap<>();
		for (Found found : current) {
			if (found.orderKey() != null) {
				keys.put(found.claim().id(), found.orderKey());
			}
		}
		return new Locked(current.stream().map(Found::claim).collect(Collectors.toSet()),
				current.stream().filter(Found::large).map((found) -> found.claim().id()).collect(Collectors.toSet()),
				keys);
	}

	/**
	 * Locks jobs, and waits for those that others have locked.
	 * @param claims the claims on them
	 */
	Locked lockWaiting(Collection<Claim> claims) {
		List<Found> found = Chunks.of(claims.stream().sorted(Comparator.comparingLong(Claim::id)).toList())
			.stream()
			.flatMap((chunk) -> find(SELECT, chunk).stream())
			.filter((one) -> claims.contains(one.claim()))
			.toList();
		return locked(found);
	}

	private List<Found> find(String select, Collection<Claim> claims) {
		return this.database.numbers(select)
			.ids(claims.stream().map(Claim::id).toList())
			.query((row, number) -> new Found(new Claim(row.getLong(1), row.getLong(2), row.getLong(3)),
					row.getBoolean(4), row.getString(5)));
	}

	private record Found(Claim claim, boolean large, @Nullable String orderKey) {

	}

	/**
	 * What is locked.
	 *
	 * @param current the claims that are current
	 * @param large the ids of those jobs whose payload is in a table of its own
	 * @param orderKeys the order keys of those jobs that have one and whose keys are to
	 * be seen to, by id
	 */
	record Locked(Set<Claim> current, Set<Long> large, Map<Long, String> orderKeys) {

		/** The same, but somebody else sees to the keys of some jobs. */
		Locked without(Set<Long> others) {
			if (others.isEmpty()) {
				return this;
			}
			Map<Long, String> left = new HashMap<>(this.orderKeys);
			left.keySet().removeAll(others);
			return new Locked(this.current, this.large, left);
		}

	}

}
