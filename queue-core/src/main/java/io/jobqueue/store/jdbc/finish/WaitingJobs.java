package io.jobqueue.store.jdbc.finish;

import java.time.Instant;
import java.time.LocalDateTime;
import java.util.List;

import io.jobqueue.database.Database;
import io.jobqueue.database.Utc;

import io.jobqueue.store.ApplicationStore.LiveJobs;

import org.jspecify.annotations.Nullable;

/**
 * Lists live jobs, and reschedules those that wait: READY → READY. The fence grows, so
 * that whoever has read the job before does not take it as it was.
 */
public final class WaitingJobs {

	/** As many rows as were asked for, however few of them are wanted. */
	private static final String LIST = """
			SELECT id,
			    CASE WHEN (:queue IS NULL OR queue = :queue) AND (:type IS NULL OR type = :type) THEN 1 ELSE 0 END AS wanted
			FROM jobqueue_job{byPrimary}
			WHERE id > :after AND id <= :last
			ORDER BY id
			LIMIT :limit""";

	private static final String LAST = """
			SELECT COALESCE(MAX(id), 0) FROM jobqueue_job""";

	/** As a cancel: a row that a worker has locked for a moment is asked for again. */
	private static final String LOCK = """
			SELECT id FROM jobqueue_job{byPrimary}
			WHERE id = :id AND state IN ({notRunning}) AND (:seen IS NULL OR available_at = :seen) FOR UPDATE NOWAIT""";

	/**
	 * A place among those that are overdue could be one that claims have passed. A job
	 * that waits for its limit asks for a place anew, at its time.
	 */
	private static final String UPDATE = """
			UPDATE jobqueue_job{byPrimary}
			SET state = CASE WHEN state = 10 THEN {readyAgain} ELSE state END, available_at = GREATEST({now}, :at),
			    fence = fence + 1
			WHERE id = :id""";

	private final Database database;

	private final BegunJobs begun;

	public WaitingJobs(Database database) {
		this.database = database;
		this.begun = new BegunJobs(database);
	}

	public LiveJobs list(@Nullable String queue, @Nullable String type, long after, long last, int limit) {
		List<Seen> page = this.database.transactions()
			.run(() -> this.database.sql(LIST)
				.param("after", after)
				.param("last", last)
				.param("queue", queue)
				.param("type", type)
				.param("limit", limit)
				.query((row, number) -> new Seen(row.getLong("id"), row.getInt("wanted") == 1))
				.list());
		return new LiveJobs(page.stream().filter(Seen::wanted).map(Seen::id).toList(),
				(page.size() == limit) ? page.get(limit - 1).id() : null);
	}

	public long lastId() {
		return this.database.transactions().run(() -> this.database.sql(LAST).query(Long.class).single());
	}

	/**
	 * @param seen the time that it is to have now; null for any
	 */
	public boolean reschedule(long id, @Nullable Instant seen, Instant availableAt) {
		LocalDateTime before = (seen != null) ? Utc.of(seen) : null;
		return this.database.transactions().run(() -> {
			boolean waits = !this.begun
				.lockUnlessBegun(id,
						() -> this.database.sql(LOCK).param("id", id).param("seen", before).query(Long.class).list())
				.isEmpty();
			return waits && this.database.sql(UPDATE).param("at", Utc.of(availableAt)).param("id", id).update() == 1;
		});
	}

	/**
	 * A job that was looked at.
	 */
	private record Seen(long id, boolean wanted) {

	}

}
