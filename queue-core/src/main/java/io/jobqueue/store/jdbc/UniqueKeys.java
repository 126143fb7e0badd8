package io.jobqueue.store.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

import io.jobqueue.NewJob;
import io.jobqueue.store.EnqueuedJob;

import org.jspecify.annotations.Nullable;

import org.springframework.dao.DuplicateKeyException;

/**
 * What makes an enqueue unique. A key belongs to a type; it is held while its job is
 * live, and until its time is over in any case. Each key is locked by an upsert on its
 * primary key, in sorted order, and then read under that lock: a plain read would miss,
 * at REPEATABLE READ, what was committed after the caller's snapshot. Finishing a job
 * does not touch its key.
 */
final class UniqueKeys {

	private static final String ROW = "(?, ?, 0, {now})";

	private static final String SELECT = """
			SELECT k.type, k.unique_key, k.job_id
			FROM jobqueue_unique_key k{byPrimary}
			WHERE (k.type, k.unique_key) IN (:keys)
			    AND k.job_id <> 0
			    AND (k.expires_at > {now} OR EXISTS (SELECT 1 FROM jobqueue_job j WHERE j.id = k.job_id))
			FOR UPDATE""";

	private static final String ASSIGN = """
			UPDATE jobqueue_unique_key
			SET job_id = :jobId,
			    expires_at = TIMESTAMPADD(MICROSECOND, :retention,
			        (SELECT GREATEST(j.available_at, {now}) FROM jobqueue_job j WHERE j.id = :jobId))
			WHERE type = :type AND unique_key = :key""";

	private static final String PRUNABLE = """
			SELECT k.type, k.unique_key
			FROM jobqueue_unique_key k
			WHERE k.expires_at < {now}
			    AND NOT EXISTS (SELECT 1 FROM jobqueue_job j WHERE j.id = k.job_id)
			ORDER BY k.expires_at
			LIMIT :limit
			FOR UPDATE SKIP LOCKED""";

	private static final String DELETE = """
			DELETE FROM jobqueue_unique_key WHERE type = ? AND unique_key = ?""";

	private static final int MAX_ROWS = 500;

	private final Database database;

	private final Duration retention;

	UniqueKeys(Database database, Duration retention) {
		this.database = database;
		this.retention = retention;
	}

	/**
	 * Locks the keys of some jobs until the transaction ends.
	 * @param jobs the jobs, with keys or without
	 * @return the keys that are held, and the ids of the jobs that hold them
	 */
	Map<Key, Long> take(List<EnqueuedJob> jobs) {
		TreeSet<Key> sorted = new TreeSet<>();
		for (EnqueuedJob job : jobs) {
			Key key = Key.of(job.job());
			if (key != null) {
				sorted.add(key);
			}
		}
		Map<Key, Long> held = new HashMap<>();
		List<Key> keys = new ArrayList<>(sorted);
		for (int start = 0; start < keys.size(); start += MAX_ROWS) {
			takeChunk(keys.subList(start, Math.min(keys.size(), start + MAX_ROWS)), held);
		}
		return held;
	}

	private void takeChunk(List<Key> keys, Map<Key, Long> held) {
		StringBuilder statement = new StringBuilder("{keysStart} ");
		List<Object> values = new ArrayList<>();
		List<Object[]> pairs = new ArrayList<>();
		for (Key key : keys) {
			statement.append(values.isEmpty() ? "" : ", ").append(ROW);
			values.add(key.type());
			values.add(key.text());
			pairs.add(new Object[] { key.type(), key.text() });
		}
		statement.append(" {keysEnd}");
		try {
			this.database.template().update(this.database.dialect().expand(statement.toString()), values.toArray());
		}
		catch (DuplicateKeyException ex) {
			// H2's MERGE loses a race by failing; the winner has committed, so the key is
			// there to be locked.
			if (this.database.dialect() != Dialect.H2 || keys.size() > 1) {
				throw ex;
			}
		}
		this.database.sql(SELECT).param("keys", pairs).query((row) -> {
			held.put(new Key(row.getString("type"), row.getString("unique_key")), row.getLong("job_id"));
		});
	}

	void assign(Key key, long jobId) {
		this.database.sql(ASSIGN)
			.param("jobId", jobId)
			.param("retention", Utc.micros(this.retention))
			.param("type", key.type())
			.param("key", key.text())
			.update();
	}

	int prune(int limit) {
		return this.database.transactions().run(() -> {
			List<Object[]> keys = this.database.sql(PRUNABLE)
				.param("limit", limit)
				.query((row, number) -> new Object[] { row.getString("type"), row.getString("unique_key") })
				.list();
			if (!keys.isEmpty()) {
				this.database.template().batchUpdate(DELETE, keys);
			}
			return keys.size();
		});
	}

	/**
	 * A unique key within its scope.
	 *
	 * @param type the job type
	 * @param text what the application chose
	 */
	record Key(String type, String text) implements Comparable<Key> {

		static @Nullable Key of(NewJob job) {
			String text = job.uniqueKey();
			return (text != null) ? new Key(job.type(), text) : null;
		}

		@Override
		public int compareTo(Key other) {
			int byType = this.type.compareTo(other.type);
			return (byType != 0) ? byType : this.text.compareTo(other.text);
		}

	}

}
