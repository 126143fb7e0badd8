package io.jobqueue.store.jdbc.finish;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;

import io.jobqueue.database.Chunks;
import io.jobqueue.database.Database;
import io.jobqueue.store.Claim;
import io.jobqueue.store.LockWaits;

/**
 * Leaves running jobs to their worker for as long as it lives, whatever their deadlines
 * were. It changes no index, so nobody else's lock is in its way but that of the row.
 */
public final class DropDeadlines {

	private static final String UPDATE = """
			UPDATE jobqueue_job{byPrimary}
			SET deadline_at = '9999-12-31 00:00:00'
			WHERE id IN (:ids)""";

	private final Database database;

	private final LockClaims locks;

	/**
	 * Creates it.
	 * @param database the database
	 */
	public DropDeadlines(Database database) {
		this.database = database;
		this.locks = new LockClaims(database);
	}

	/**
	 * Drops them, in a transaction of its own.
	 * @param claims the claims
	 */
	public void drop(Collection<Claim> claims) {
		List<Claim> sorted = claims.stream().sorted(Comparator.comparingLong(Claim::id)).toList();
		this.database.transactions()
			.run(LockWaits.SHORT, () -> Chunks.of(sorted).stream().mapToInt(this::dropChunk).sum());
	}

	private int dropChunk(List<Claim> claims) {
		List<Long> ids = this.locks.lock(claims).current().stream().map(Claim::id).sorted().toList();
		return ids.isEmpty() ? 0 : this.database.numbers(UPDATE).ids(ids).update();
	}

}
