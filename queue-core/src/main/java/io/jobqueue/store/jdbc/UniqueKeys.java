package io.jobqueue.store.jdbc;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

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
			SELECT type, unique_key, job_id, {readable job_enqueued_at} AS enqueued,
			    CASE WHEN expires_at > {now} THEN 1 ELSE 0 END AS in_time
			FROM jobqueue_unique_key{byPrimary}
			WHERE (type, unique_key) IN (:keys)
			FOR UPDATE""";

	private static final String LIVE = """
			SELECT id FROM jobqueue_job{byPrimary} WHERE id IN (:ids)""";

	private static final String ASSIGNED_ROW = "(?, ?, ?, TIMESTAMPADD(MICROSECOND, ?, GREATEST({now}, ?)), "
			+ "(SELECT {readable enqueued_at} FROM jobqueue_job WHERE id = ?))";

	/** Whoever has the ids of these keys' jobs now, live or archived. */
	private static final String HOLDERS = """
			SELECT id, {readable enqueued_at} AS enqueued, 1 AS live FROM jobqueue_job{byPrimary} WHERE id IN (:ids)
			UNION ALL
			SELECT id, {readable enqueued_at}, 0 FROM jobqueue_archive{byPrimary} WHERE id IN (:ids)""";

	private static final String CORRECT = """
			UPDATE jobqueue_unique_key SET job_id = :id WHERE type = :type AND unique_key = :key""";

	private static final int MAX_ROWS = 500;

	/** A key that is pruned just then is made again; one that never comes is not. */
	private static final int MOST_TRIES = 100;

	private final Database database;

	private final Duration retention;

	private final ReusedIds reusedIds;

	UniqueKeys(Database database, Duration retention) {
		this.database = database;
		this.reusedIds = new ReusedIds(database);
		this.retention = retention;
	}

	/**
	 * Locks the keys of some jobs until the transaction ends.
	 * @param jobs the jobs, with keys or without
	 * @param readCommitted whether the transaction sees what others have committed
	 * meanwhile
	 * @return the keys that are held, and the ids of the jobs that hold them
	 */
	Map<Key, Long> take(List<EnqueuedJob> jobs, boolean readCommitted) {
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
			takeChunk(keys.subList(start, Math.min(keys.size(), start + MAX_ROWS)), readCommitted, held);
		}
		return held;
	}

	private void takeChunk(List<Key> keys, boolean readCommitted, Map<Key, Long> held) {
		Set<Key> asked = Set.copyOf(keys);
		Map<Key, Long> outOfTime = new HashMap<>();
		List<Given> locked = lock(keys).stream().filter((given) -> given.jobId() != 0).toList();
		for (Given given : ofTheirOwnJobs(locked)) {
			if (!asked.contains(given.key())) {
				throw new IllegalStateException(
						"The database connection's character set cannot write the unique key of "
								+ "one of these jobs: it arrived as '" + given.key().text()
								+ "'. Let the connection use UTF-8");
			}
			(given.inTime() ? held : outOfTime).put(given.key(), given.jobId());
		}
		if (!outOfTime.isEmpty()) {
			Set<Long> live = live(outOfTime.values(), readCommitted);
			outOfTime.forEach((key, jobId) -> {
				if (live.contains(jobId)) {
					held.put(key, jobId);
				}
			});
		}
	}

	/**
	 * Leaves out keys whose job is gone, and whose id another one has: ids start again
	 * after a TRUNCATE.
	 */
	private List<Given> ofTheirOwnJobs(List<Given> keys) {
		if (keys.isEmpty()) {
			return keys;
		}
		Map<Long, List<JobOfId>> jobs = this.database.sql(HOLDERS)
			.param("ids", keys.stream().map(Given::jobId).collect(Collectors.toSet()))
			.query((row, number) -> new JobOfId(row.getLong("id"), row.getObject("enqueued", LocalDateTime.class),
					row.getInt("live") == 1))
			.list()
			.stream()
			.collect(Collectors.groupingBy(JobOfId::id));
		List<Given> own = new ArrayList<>();
		for (Given key : keys) {
			List<JobOfId> found = jobs.getOrDefault(key.jobId(), List.of());
			boolean hasOwn = found.isEmpty() || found.stream().anyMatch((job) -> job.isOf(key));
			if (hasOwn && found.stream().anyMatch((job) -> job.live() && !job.isOf(key))) {
				own.add(withNewId(key));
			}
			else if (hasOwn) {
				own.add(key);
			}
		}
		return own;
	}

	/**
	 * Gives a key's job, which is archived, a new id, since a newer one has got its own.
	 */
	private Given withNewId(Given key) {
		long id = this.reusedIds.moveAway(List.of(key.jobId())).getOrDefault(key.jobId(), key.jobId());
		this.database.sql(CORRECT)
			.param("id", id)
			.param("type", key.key().type())
			.param("key", key.key().text())
			.update();
		return new Given(key.key(), id, key.inTime(), key.enqueuedAt());
	}

	private List<Given> lock(List<Key> keys) {
		List<Object[]> pairs = keys.stream().map((key) -> new Object[] { key.type(), key.text() }).toList();
		for (int tries = 1;; tries++) {
			upsert(keys);
			List<Given> locked = this.database.sql(SELECT)
				.param("keys", pairs)
				.query((row, number) -> new Given(new Key(row.getString("type"), row.getString("unique_key")),
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
	private void upsert(List<Key> keys) {
		StringBuilder statement = new StringBuilder("{keysStart} ");
		List<Object> values = new ArrayList<>();
		for (Key key : keys) {
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
	 * Which jobs are live now. At REPEATABLE READ the caller's transaction shows what was
	 * live at its snapshot, and only another one shows what is now, all but the jobs that
	 * the caller has not yet committed.
	 */
	private Set<Long> live(Collection<Long> ids, boolean readCommitted) {
		if (readCommitted) {
			return Set.copyOf(this.database.sql(LIVE).param("ids", ids).query(Long.class).list());
		}
		Database own = this.database.own();
		Set<Long> live = new HashSet<>(
				own.transactions().run(() -> own.sql(LIVE).param("ids", ids).query(Long.class).list()));
		ids.stream().filter(UncommittedJobs.ofTransaction()::contains).forEach(live::add);
		return live;
	}

	/**
	 * Gives keys, which this transaction has locked, to the jobs that were stored for
	 * them.
	 * @param jobs the jobs, in any order
	 */
	void assign(Map<Key, Holder> jobs) {
		if (this.database.own() != this.database) {
			UncommittedJobs.ofTransaction().addAll(jobs.values().stream().map(Holder::jobId).toList());
		}
		List<Map.Entry<Key, Holder>> entries = List.copyOf(jobs.entrySet());
		for (int start = 0; start < entries.size(); start += MAX_ROWS) {
			List<String> rows = new ArrayList<>();
			List<Object> values = new ArrayList<>();
			for (Map.Entry<Key, Holder> entry : entries.subList(start, Math.min(entries.size(), start + MAX_ROWS))) {
				NewJob job = entry.getValue().job();
				Instant availableAt = job.availableAt();
				rows.add(ASSIGNED_ROW);
				values.addAll(List.of(entry.getKey().type(), entry.getKey().text(), entry.getValue().jobId(),
						Utc.micros(this.retention.plus(job.delay())),
						Utc.of((availableAt != null) ? availableAt : Instant.EPOCH), entry.getValue().jobId()));
			}
			this.database.template()
				.update(this.database.expand("{assignStart} " + String.join(", ", rows) + " {assignEnd}"),
						values.toArray());
		}
	}

	/**
	 * The job that a key is given to.
	 *
	 * @param job what the application asked for
	 * @param jobId its id
	 */
	record Holder(NewJob job, long jobId) {

	}

	/**
	 * A key that is locked.
	 *
	 * @param key the key
	 * @param jobId the job that it was given to last; 0 for none
	 * @param inTime whether its time is not over
	 * @param enqueuedAt when that job was enqueued, in UTC
	 */
	private record Given(Key key, long jobId, boolean inTime, LocalDateTime enqueuedAt) {

	}

	/**
	 * A job that has the id of a key's.
	 */
	private record JobOfId(long id, LocalDateTime enqueuedAt, boolean live) {

		boolean isOf(Given key) {
			return this.enqueuedAt.equals(key.enqueuedAt());
		}

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
