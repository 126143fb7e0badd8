package io.jobqueue.store.jdbc.prune;

import java.time.LocalDateTime;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.jobqueue.database.Chunks;
import io.jobqueue.database.Database;
import io.jobqueue.database.Utc;
import io.jobqueue.store.MaintenanceStore.Batch;
import io.jobqueue.store.MaintenanceStore.OldKey;
import io.jobqueue.store.jdbc.table.UniqueKey;

import org.jspecify.annotations.Nullable;

/**
 * prune: deletes unique keys whose time is over and whose job is not live. Keys of live
 * jobs may be many, if a queue is paused for days: they are looked at once in a round, by
 * plain reads, and never locked, since whoever enqueues such a key would wait. Giving
 * them more time would keep a round from meeting them, but also keep them held after
 * their jobs have ended.
 */
public final class PruneUniqueKeys {

	/**
	 * The alternatives are three ranges of the index, which ends with the primary key.
	 */
	private static final String OLD = """
			SELECT type, unique_key, job_id, {readable expires_at} AS seen_at
			FROM jobqueue_unique_key{byKeyExpiry}
			WHERE expires_at < {now}
			    AND (expires_at > :time
			        OR (expires_at = :time AND type > :type)
			        OR (expires_at = :time AND type = :type AND unique_key > :key))
			ORDER BY expires_at, type, unique_key
			LIMIT :limit""";

	private static final String LIVE = """
			SELECT id FROM jobqueue_job{byPrimary} WHERE id IN (:ids)""";

	private static final String LOCK = """
			SELECT type, unique_key, job_id
			FROM jobqueue_unique_key{byPrimary}
			WHERE (type, unique_key) IN (:keys) AND expires_at < {now}
			FOR UPDATE SKIP LOCKED""";

	private static final String DELETE = """
			DELETE FROM jobqueue_unique_key WHERE type = ? AND unique_key = ?""";

	private static final OldKey START = new OldKey(Utc.orEpoch(null), "", "");

	private final Database database;

	public PruneUniqueKeys(Database database) {
		this.database = database;
	}

	public Batch<OldKey> prune(@Nullable OldKey after, int limit) {
		return this.database.transactions().run(() -> {
			List<Candidate> candidates = old((after != null) ? after : START, limit);
			int deleted = Chunks.of(candidates).stream().mapToInt(this::deleteEnded).sum();
			boolean more = candidates.size() == limit && limit > 0;
			return new Batch<>(deleted, more ? candidates.get(candidates.size() - 1).key() : null);
		});
	}

	private List<Candidate> old(OldKey after, int limit) {
		return this.database.sql(OLD)
			.param("time", after.expiresAt())
			.param("type", after.type())
			.param("key", after.uniqueKey())
			.param("limit", limit)
			.query((row,
					number) -> new Candidate(new OldKey(row.getObject("seen_at", LocalDateTime.class),
							row.getString("type"), row.getString("unique_key")), row.getLong("job_id")))
			.list();
	}

	/**
	 * Between the look and the lock a key may have been given to another job, and its job
	 * been redriven: only what is seen under the lock counts.
	 */
	private int deleteEnded(List<Candidate> candidates) {
		List<Candidate> ended = withoutLive(locked(withoutLive(candidates)));
		if (!ended.isEmpty()) {
			this.database.template().batchUpdate(DELETE, ended.stream().map(Candidate::columns).toList());
		}
		return ended.size();
	}

	private List<Candidate> withoutLive(List<Candidate> candidates) {
		if (candidates.isEmpty()) {
			return candidates;
		}
		Collection<Long> ids = candidates.stream().map(Candidate::jobId).distinct().sorted().toList();
		Set<Long> live = new HashSet<>(this.database.sql(LIVE).param("ids", ids).query(Long.class).list());
		return candidates.stream().filter((candidate) -> !live.contains(candidate.jobId())).toList();
	}

	/**
	 * Locks those whose time is still over, and that belong to the job that was seen.
	 */
	private List<Candidate> locked(List<Candidate> candidates) {
		if (candidates.isEmpty()) {
			return candidates;
		}
		Map<UniqueKey, Long> locked = new HashMap<>();
		this.database.sql(LOCK).param("keys", candidates.stream().map(Candidate::columns).toList()).query((row) -> {
			locked.put(new UniqueKey(row.getString("type"), row.getString("unique_key")), row.getLong("job_id"));
		});
		return candidates.stream()
			.filter((candidate) -> Long.valueOf(candidate.jobId()).equals(locked.get(candidate.ofType())))
			.toList();
	}

	/**
	 * A key whose time is over.
	 *
	 * @param key the key
	 * @param jobId the job that it was given to
	 */
	private record Candidate(OldKey key, long jobId) {

		UniqueKey ofType() {
			return new UniqueKey(this.key.type(), this.key.uniqueKey());
		}

		Object[] columns() {
			return new Object[] { this.key.type(), this.key.uniqueKey() };
		}

	}

}
