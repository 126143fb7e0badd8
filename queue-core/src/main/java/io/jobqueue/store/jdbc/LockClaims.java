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
			SELECT id, fence
			FROM jobqueue_job{byPrimary}
			WHERE id IN (:ids) AND state = 1
			FOR UPDATE""";

	private static final String SELECT_UNLOCKED = SELECT + " SKIP LOCKED";

	private final Database database;

	LockClaims(Database database) {
		this.database = database;
	}

	Set<Claim> current(Collection<Claim> claims) {
		return lock(SELECT, claims);
	}

	Set<Claim> currentAndUnlocked(Collection<Claim> claims) {
		return lock(SELECT_UNLOCKED, claims);
	}

	private Set<Claim> lock(String select, Collection<Claim> claims) {
		Set<Claim> given = Set.copyOf(claims);
		List<Claim> found = this.database.numbers(select)
			.ids(claims.stream().map(Claim::id).toList())
			.query((row, number) -> new Claim(row.getLong(1), row.getLong(2)));
		return found.stream().filter(given::contains).collect(Collectors.toSet());
	}

}
