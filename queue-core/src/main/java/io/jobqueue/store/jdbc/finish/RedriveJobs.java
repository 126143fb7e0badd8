package io.jobqueue.store.jdbc.finish;

import java.time.LocalDateTime;
import java.util.Collection;
import java.util.List;
import java.util.Map;

import io.jobqueue.database.Chunks;
import io.jobqueue.database.Database;
import io.jobqueue.store.ApplicationStore.DeadJob;
import io.jobqueue.store.jdbc.table.DeadJobs;
import io.jobqueue.store.jdbc.table.JobColumns;
import io.jobqueue.store.jdbc.table.OrderChanges;
import io.jobqueue.store.jdbc.table.ReusedIds;

import org.jspecify.annotations.Nullable;

import org.springframework.dao.DuplicateKeyException;

/**
 * redrive: archive DEAD → READY, with the same id, a higher fence, and no attempts
 * counted; WAITING if the job has an order key, at the place that its id has.
 */
public final class RedriveJobs {

	/** A job without a name or a queue is dead for good: the table does not take it. */
	private static final String LOCK = """
			SELECT id
			FROM jobqueue_archive{byPrimary}
			WHERE id IN (:ids) AND state = 4 AND type <> '' AND queue <> ''
			FOR UPDATE""";

	private static final String INSERT = """
			INSERT INTO jobqueue_job (id, state, available_at, fence, %s)
			SELECT id, CASE WHEN order_key IS NULL THEN 0 ELSE 9 END, {now}, LEAST(fence, 9223372036854775000) + 1, %s
			FROM jobqueue_archive{byPrimary}
			WHERE id IN (:ids)""".formatted(JobColumns.names(JobColumns.REDRIVEN),
			JobColumns.names(JobColumns.REDRIVEN).replace("priority", "LEAST(9, GREATEST(0, priority))"));

	private static final String LIVE = """
			SELECT id FROM jobqueue_job{byPrimary} WHERE id IN (:ids)""";

	private static final String DELETE = """
			{delete jobqueue_archive} WHERE id IN (:ids)""";

	private static final String DEAD = """
			SELECT id, finished_at
			FROM jobqueue_archive{byFinished}
			WHERE state = 4
			    AND finished_at <= :until
			    AND (finished_at > :afterTime OR (finished_at = :afterTime AND id > :afterId))
			    AND (:queue IS NULL OR queue = :queue)
			    AND (:type IS NULL OR type = :type)
			ORDER BY finished_at, id
			LIMIT :limit""";

	private static final String NOW = """
			SELECT {now} AS now_utc FROM (SELECT 1 AS one) once""";

	private static final DeadJob START = new DeadJob(0, LocalDateTime.of(1970, 1, 1, 0, 0));

	private final Database database;

	private final ReusedIds reusedIds;

	private final OrderChanges order;

	private final DeadJobs deadJobs;

	public RedriveJobs(Database database) {
		this.database = database;
		this.reusedIds = new ReusedIds(database);
		this.order = new OrderChanges(database);
		this.deadJobs = new DeadJobs(database);
	}

	public int redrive(Collection<Long> ids) {
		return this.database.transactions().run(() -> redriveInTransaction(ids));
	}

	/**
	 * The same as part of the transaction that is open.
	 */
	public int redriveInTransaction(Collection<Long> ids) {
		List<Long> sorted = ids.stream().sorted().distinct().toList();
		return Chunks.of(sorted).stream().mapToInt(this::redriveChunk).sum();
	}

	private int redriveChunk(List<Long> ids) {
		List<Long> dead = this.database.numbers(LOCK).ids(ids).query((row, number) -> row.getLong(1));
		if (!dead.isEmpty()) {
			try {
				move(dead);
			}
			catch (DuplicateKeyException ex) {
				move(withNewIds(dead));
			}
		}
		return dead.size();
	}

	private void move(List<Long> dead) {
		this.database.numbers(INSERT).ids(dead).update();
		this.order.come(dead);
		this.database.numbers(DELETE).ids(dead).update();
		this.deadJobs.remove(dead);
	}

	/**
	 * Dead jobs whose ids newer jobs have got, which are live, get new ones.
	 */
	private List<Long> withNewIds(List<Long> dead) {
		List<Long> taken = this.database.numbers(LIVE).ids(dead).query((row, number) -> row.getLong(1));
		Map<Long, Long> moved = this.reusedIds.moveAway(taken);
		return dead.stream().map((id) -> moved.getOrDefault(id, id)).sorted().toList();
	}

	public List<DeadJob> dead(@Nullable String queue, @Nullable String type, @Nullable DeadJob after,
			LocalDateTime until, int limit) {
		DeadJob from = (after != null) ? after : START;
		return this.database.transactions()
			.run(() -> this.database.sql(DEAD)
				.param("afterTime", from.finishedAt())
				.param("afterId", from.id())
				.param("until", until)
				.param("queue", queue)
				.param("type", type)
				.param("limit", limit)
				.query((row, number) -> new DeadJob(row.getLong("id"),
						row.getObject("finished_at", LocalDateTime.class)))
				.list());
	}

	public LocalDateTime now() {
		return this.database.transactions()
			.run(() -> this.database.sql(NOW)
				.query((row, number) -> row.getObject("now_utc", LocalDateTime.class))
				.single());
	}

}
