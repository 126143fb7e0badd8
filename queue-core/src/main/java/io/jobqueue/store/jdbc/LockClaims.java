package io.jobqueue.store.jdbc;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import io.jobqueue.store.Claim;

/**
 * The fence check that comes before every write after a claim: locks the jobs and tells
 * which claims are current; as many as fit into one IN list. The statements that follow
 * need no check of their own, since nobody else can write to these rows before the
 * transaction ends. (INSERT … SELECT alone would lock nothing in its source at READ
 * COMMITTED.)
 */
final class LockClaims {

	private static final String SELECT = """
			SELECT id, fence, large_payload
			FROM jobqueue_job{byPrimary}
			WHERE id IN (:ids) AND state = 1
			FOR UPDATE""";

	private static final String SELECT_UNLOCKED = SELECT + " SKIP LOCKED";

	private final Database database;

	LockClaims(Database database) {
		this.database = database;
	}

	Locked current(Collection<Claim> claims) {
		return lock(SELECT, claims);
	}

	Locked currentAndUnlocked(Collection<Claim> claims) {
		return lock(SELECT_UNLOCKED, claims);
	}

	private Locked lock(String select, Collection<Claim> claims) {
		Set<Claim> given = Set.copyOf(claims);
		List<Found> current = this.database.numbers(select)
			.ids(claims.stream().map(Claim::id).toList())
			.query((row, number) -> new Found(new Claim(row.getLong(1), row.getLong(2)), row.getBoolean(3)))
			.stream()
			.filter((found) -> given.contains(found.claim()))
			.toList();
		return new Locked(current.stream().map(Found::claim).collect(Collectors.toSet()),
				current.stream().filter(Found::large).map((found) -> found.claim().id()).collect(Collectors.toSet()));
	}

	private record Found(Claim claim, boolean large) {

	}

	/**
	 * What is locked.
	 *
	 * @param current the claims that are current
	 * @param large the ids of those jobs whose payload is in a table of its own
	 */
	record Locked(Set<Claim> current, Set<Long> large) {

	}

}
