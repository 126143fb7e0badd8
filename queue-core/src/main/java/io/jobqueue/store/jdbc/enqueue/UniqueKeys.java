package io.jobqueue.store.jdbc.enqueue;

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
import io.jobqueue.database.Database;
import io.jobqueue.database.Utc;
import io.jobqueue.store.EnqueuedJob;
import io.jobqueue.store.jdbc.enqueue.LockUniqueKeys.LockedKey;
import io.jobqueue.store.jdbc.table.ReusedIds;
import io.jobqueue.store.jdbc.table.UniqueKey;

/**
 * What makes an enqueue unique. A key belongs to a type; it is held while its job is
 * live, and until its time is over in any case. Each key is locked by an upsert on its
 * primary key, in sorted order, and then read under that lock: a plain read would miss,
 * at REPEATABLE READ, what was committed after the caller's snapshot. Finishing a job
 * does not touch its key.
 */
public final class UniqueKeys {

	private static final String LIVE = """
			SELECT id FROM jobqueue_job{byPrimary} WHERE id IN (:ids)""";

	/**
	 * The job's id is part of the text: ShardingSphere loses parameters of a query among
	 * the values.
	 */
	private static final String ASSIGNED_ROW = "(?, ?, ?, GREATEST({now + ? MICROSECOND}, ?), "
			+ "(SELECT {readable enqueued_at} FROM jobqueue_job WHERE id = ";

	/** Whoever has the ids of these keys' jobs now, live or archived. */
	private static final String HOLDERS = """
			SELECT id, {readable enqueued_at} AS enqueued, 1 AS live FROM jobqueue_job{byPrimary} WHERE id IN (:ids)
			UNION ALL
			SELECT id, {readable enqueued_at}, 0 FROM jobqueue_archive{byPrimary} WHERE id IN (:ids)""";

	private static final String CORRECT = """
			UPDATE jobqueue_unique_key SET job_id = :id WHERE type = :type AND unique_key = :key""";

	private static final int MAX_ROWS = 500;

	private final Database database;

	private final Duration retention;

	private final ReusedIds reusedIds;

	private final LockUniqueKeys lock;

	UniqueKeys(Database database, Duration retention) {
		this.database = database;
		this.reusedIds = new ReusedIds(database);
		this.lock = new LockUniqueKeys(database);
		this.retention = retention;
	}

	/**
	 * Locks the keys of some jobs until the transaction ends.
	 * @param jobs the jobs, with keys or without
	 * @param readCommitted whether the transaction sees what others have committed
	 * meanwhile
	 * @return the keys that are held, and the ids of the jobs that hold them
	 */
	Map<UniqueKey, Long> take(List<EnqueuedJob> jobs, boolean readCommitted) {
		TreeSet<UniqueKey> sorted = new TreeSet<>();
		for (EnqueuedJob job : jobs) {
			UniqueKey key = UniqueKey.of(job.job());
			if (key != null) {
				sorted.add(key);
			}
		}
		Map<UniqueKey, Long> held = new HashMap<>();
		List<UniqueKey> keys = new ArrayList<>(sorted);
		for (int start = 0; start < keys.size(); start += MAX_ROWS) {
			takeChunk(keys.subList(start, Math.min(keys.size(), start + MAX_ROWS)), readCommitted, held);
		}
		return held;
	}

	private void takeChunk(List<UniqueKey> keys, boolean readCommitted, Map<UniqueKey, Long> held) {
		Set<UniqueKey> asked = Set.copyOf(keys);
		Map<UniqueKey, Long> outOfTime = new HashMap<>();
		List<LockedKey> locked = this.lock.lock(keys).stream().filter((given) -> given.jobId() != 0).toList();
		for (LockedKey given : ofTheirOwnJobs(locked)) {
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
	private List<LockedKey> ofTheirOwnJobs(List<LockedKey> keys) {
		if (keys.isEmpty()) {
			return keys;
		}
		Map<Long, List<JobOfId>> jobs = this.database.sql(HOLDERS)
			.param("ids", keys.stream().map(LockedKey::jobId).collect(Collectors.toSet()))
			.query((row, number) -> new JobOfId(row.getLong("id"), row.getObject("enqueued", LocalDateTime.class),
					row.getInt("live") == 1))
			.list()
			.stream()
			.collect(Collectors.groupingBy(JobOfId::id));
		List<LockedKey> own = new ArrayList<>();
		for (LockedKey key : keys) {
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
	private LockedKey withNewId(LockedKey key) {
		long id = this.reusedIds.moveAway(List.of(key.jobId())).getOrDefault(key.jobId(), key.jobId());
		this.database.sql(CORRECT)
			.param("id", id)
			.param("type", key.key().type())
			.param("key", key.key().text())
			.update();
		return new LockedKey(key.key(), id, key.inTime(), key.enqueuedAt());
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
		ids.stream().filter(this.database.callers().transaction().uncommittedJobs()::contains).forEach(live::add);
		return live;
	}

	/**
	 * Gives keys, which this transaction has locked, to the jobs that were stored for
	 * them.
	 * @param jobs the jobs, in any order
	 */
	void assign(Map<UniqueKey, Holder> jobs) {
		if (this.database.own() != this.database) {
			this.database.callers()
				.transaction()
				.uncommittedJobs()
				.addAll(jobs.values().stream().map(Holder::jobId).toList());
		}
		List<Map.Entry<UniqueKey, Holder>> entries = List.copyOf(jobs.entrySet());
		for (int start = 0; start < entries.size(); start += MAX_ROWS) {
			List<String> rows = new ArrayList<>();
			List<Object> values = new ArrayList<>();
			for (Map.Entry<UniqueKey, Holder> entry : entries.subList(start,
					Math.min(entries.size(), start + MAX_ROWS))) {
				NewJob job = entry.getValue().job();
				Instant availableAt = job.availableAt();
				rows.add(ASSIGNED_ROW + entry.getValue().jobId() + "))");
				values.addAll(List.of(entry.getKey().type(), entry.getKey().text(), entry.getValue().jobId(),
						Utc.micros(this.retention.plus(job.delay())),
						Utc.of((availableAt != null) ? availableAt.plus(this.retention) : Instant.EPOCH)));
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
	 * A job that has the id of a key's.
	 */
	private record JobOfId(long id, LocalDateTime enqueuedAt, boolean live) {

		boolean isOf(LockedKey key) {
			return this.enqueuedAt.equals(key.enqueuedAt());
		}

	}

}
