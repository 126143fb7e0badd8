package io.jobqueue.store.jdbc.prune;

import java.time.LocalDateTime;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.jobqueue.database.Database;
import io.jobqueue.store.ApplicationStore.DeadJob;
import io.jobqueue.store.Claim;
import io.jobqueue.store.DeadJobStore;
import io.jobqueue.store.Failure;
import io.jobqueue.store.MaintenanceStore.Batch;
import io.jobqueue.store.jdbc.table.DeadJobs;
import io.jobqueue.store.jdbc.table.LastErrors;
import io.jobqueue.store.jdbc.table.Page;
import io.jobqueue.store.jdbc.table.StoreErrors.Entry;

import org.jspecify.annotations.Nullable;

/**
 * Sweeps what is kept of the causes of dead jobs. What is locked is left to the next
 * sweep.
 */
public final class JdbcDeadJobs implements DeadJobStore {

	private static final String MISSING = """
			SELECT a.id, a.finished_at, CASE WHEN d.job_id IS NULL THEN 1 ELSE 0 END AS wanted
			FROM (SELECT id, finished_at
			      FROM jobqueue_archive{byFinished}
			      WHERE state = 4 AND finished_at >= :afterTime AND NOT {unreadable finished_at}
			          AND (finished_at > :afterTime OR id > :afterId)
			      ORDER BY finished_at, id
			      LIMIT :limit) a
			LEFT JOIN jobqueue_dead_job d ON d.job_id = a.id
			ORDER BY a.finished_at, a.id""";

	private static final String LOCK_DEAD = """
			SELECT id FROM jobqueue_archive{byPrimary} WHERE id IN (:ids) AND state = 4 FOR UPDATE SKIP LOCKED""";

	private static final String KNOWN = """
			SELECT job_id FROM jobqueue_dead_job{byPrimary} WHERE job_id IN (:ids)""";

	private static final String GONE = """
			SELECT d.job_id, CASE WHEN a.id IS NULL THEN 1 ELSE 0 END AS wanted
			FROM (SELECT job_id
			      FROM jobqueue_dead_job{byPrimary}
			      WHERE job_id > :after
			      ORDER BY job_id
			      LIMIT :limit) d
			LEFT JOIN jobqueue_archive a ON a.id = d.job_id AND a.state = 4
			ORDER BY d.job_id""";

	private static final String LOCK_KNOWN = """
			SELECT job_id FROM jobqueue_dead_job{byPrimary} WHERE job_id IN (:ids) FOR UPDATE SKIP LOCKED""";

	private static final String DEAD = """
			SELECT id FROM jobqueue_archive{byPrimary} WHERE id IN (:ids) AND state = 4""";

	private static final DeadJob START = new DeadJob(0, LocalDateTime.of(1970, 1, 2, 0, 0));

	private final Database database;

	private final DeadJobs dead;

	private final LastErrors errors;

	public JdbcDeadJobs(Database database) {
		this.database = database;
		this.dead = new DeadJobs(database);
		this.errors = new LastErrors(database);
	}

	@Override
	public Batch<DeadJob> addMissing(@Nullable DeadJob after, int limit) {
		DeadJob from = (after != null) ? after : START;
		List<Page.Seen<DeadJob>> seen = this.database.sql(MISSING)
			.param("afterTime", from.finishedAt())
			.param("afterId", from.id())
			.param("limit", limit)
			.query((row, number) -> new Page.Seen<>(
					new DeadJob(row.getLong("id"), row.getObject("finished_at", LocalDateTime.class)),
					row.getInt("wanted") == 1))
			.list();
		return new Page<>(seen, limit).batch((jobs) -> add(jobs.stream().map(DeadJob::id).sorted().toList()));
	}

	private int add(List<Long> ids) {
		return this.database.transactions().run(() -> {
			List<Long> dead = ids(LOCK_DEAD, ids);
			Set<Long> known = dead.isEmpty() ? Set.of() : Set.copyOf(ids(KNOWN, dead));
			List<Long> missing = dead.stream().filter((id) -> !known.contains(id)).toList();
			if (!missing.isEmpty()) {
				this.dead.add(entries(missing));
			}
			return missing.size();
		});
	}

	private List<Entry> entries(List<Long> ids) {
		Map<Long, Failure> errors = this.errors.of(ids);
		return ids.stream()
			.map((id) -> new Entry(new Claim(id, 0, 0), errors.getOrDefault(id, LastErrors.UNKNOWN)))
			.toList();
	}

	@Override
	public Batch<Long> forgetGone(@Nullable Long after, int limit) {
		List<Page.Seen<Long>> seen = this.database.sql(GONE)
			.param("after", (after != null) ? after : Long.MIN_VALUE)
			.param("limit", limit)
			.query((row, number) -> new Page.Seen<>(row.getLong("job_id"), row.getInt("wanted") == 1))
			.list();
		return new Page<>(seen, limit).batch(this::forget);
	}

	/**
	 * A job that has died again has written its row anew, and waits for the lock, or is
	 * seen.
	 */
	private int forget(List<Long> ids) {
		return this.database.transactions().run(() -> {
			List<Long> locked = ids(LOCK_KNOWN, ids);
			Set<Long> dead = locked.isEmpty() ? Set.of() : Set.copyOf(ids(DEAD, locked));
			List<Long> gone = locked.stream().filter((id) -> !dead.contains(id)).toList();
			this.dead.remove(gone);
			return gone.size();
		});
	}

	private List<Long> ids(String statement, List<Long> ids) {
		return this.database.numbers(statement).ids(ids).query((row, number) -> row.getLong(1));
	}

}
