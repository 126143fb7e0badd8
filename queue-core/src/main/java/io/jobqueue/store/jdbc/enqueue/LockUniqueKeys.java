package io.jobqueue.store.jdbc.enqueue;

import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;

import io.jobqueue.database.Capability;
import io.jobqueue.database.Database;
import io.jobqueue.store.jdbc.table.UniqueKey;

import org.springframework.dao.DuplicateKeyException;

/**
 * Locks unique keys by an upsert on their primary key, in sorted order, and reads them
 * under that lock.
 */
final class LockUniqueKeys {

	private static final String ROW = "(?, ?, 0, {now})";

	private static final String SELECT = """
			SELECT type, unique_key, job_id, {readable job_enqueued_at} AS enqueued,
			    CASE WHEN expires_at > {now} THEN 1 ELSE 0 END AS in_time
			FROM jobqueue_unique_key{byPrimary}
			WHERE (type, unique_key) IN (:keys)
			FOR UPDATE""";

	/** Keys may be pruned in between, and are inserted again; but not for ever. */
	private static final int MOST_TRIES = 100;

	private final Database database;

	LockUniqueKeys(Database database) {
		this.database = database;
	}

	/**
	 * Locks keys until the transaction ends, whether they were there or not.
	 * @param keys the keys, sorted
	 * @return what stands in their rows
	 */
	List<LockedKey> lock(List<UniqueKey> keys) {
		List<Object[]> pairs = keys.stream().map((key) -> new Object[] { key.type(), key.text() }).toList();
		for (int tries = 1;; tries++) {
			upsert(keys);
			List<LockedKey> locked = this.database.sql(SELECT)
				.param("keys", pairs)
				.query((row, number) -> new LockedKey(new UniqueKey(row.getString("type"), row.getString("unique_key")),
						row.getLong("job_id"), row.getInt("in_time") == 1,
						row.getObject("enqueued", LocalDateTime.class)))
				.list();
			if (locked.size() == keys.size() || this.database.can(Capability.LOCK_BY_UPSERT)) {
				return locked;
			}
			if (tries == MOST_TRIES) {
				throw new IllegalStateException("Of " + keys.size() + " unique keys H2 has locked only " + locked.size()
						+ ". Does it tell upper from lower case (IGNORECASE)?");
			}
		}
	}

	/**
	 * Sees to it that the keys are there. On MySQL and MariaDB they are locked then. On
	 * H2 those that were there are not, so they may be pruned before the next look.
	 */
	private void upsert(List<UniqueKey> keys) {
		StringBuilder statement = new StringBuilder("{keysStart} ");
		List<Object> values = new ArrayList<>();
		for (UniqueKey key : keys) {
			statement.append(values.isEmpty() ? "" : ", ").append(ROW);
			values.add(key.type());
			values.add(key.text());
		}
		statement.append(" {keysEnd}");
		try {
			this.database.template().update(this.database.expand(statement.toString()), values.toArray());
		}
		catch (DuplicateKeyException ex) {
			// H2's MERGE loses a race by failing; the winner has committed.
			if (this.database.can(Capability.LOCK_BY_UPSERT)) {
				throw ex;
			}
		}
	}

	/**
	 * A key that is locked.
	 *
	 * @param key the key
	 * @param jobId the job that it was given to last; 0 for none
	 * @param inTime whether its time is not over
	 * @param enqueuedAt when that job was enqueued, in UTC
	 */
	record LockedKey(UniqueKey key, long jobId, boolean inTime, LocalDateTime enqueuedAt) {

	}

}
