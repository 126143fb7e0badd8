package io.jobqueue.store.jdbc.prune;

import java.time.Duration;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Set;

import io.jobqueue.JobState;
import io.jobqueue.database.Chunks;
import io.jobqueue.database.Database;
import io.jobqueue.database.StateCode;
import io.jobqueue.database.Utc;
import io.jobqueue.store.MaintenanceStore.Batch;
import io.jobqueue.store.jdbc.table.Belongings;
import io.jobqueue.store.jdbc.table.JobAndTime;

import org.jspecify.annotations.Nullable;

/**
 * prune: deletes what is old from the archive, with its payload and errors.
 */
public final class PruneArchive {

	private static final String SELECT = """
			SELECT id, {readable finished_at} AS seen_at
			FROM jobqueue_archive{byFinished}
			WHERE state = :state AND finished_at >= :from AND finished_at < {now + :ago MICROSECOND}
			ORDER BY finished_at
			LIMIT :limit
			FOR UPDATE SKIP LOCKED""";

	/**
	 * Where ids have started again, a live job may have the id of an old one, and what
	 * belongs to that id is the live one's. Locking, to see one that is being enqueued.
	 */
	private static final String LIVE = """
			SELECT id FROM jobqueue_job{byPrimary} WHERE id IN (:ids) {lockShared}""";

	private static final String DELETE = """
			{delete jobqueue_archive} WHERE id IN (:ids)""";

	private final Database database;

	private final Belongings belongings;

	public PruneArchive(Database database) {
		this.database = database;
		this.belongings = new Belongings(database);
	}

	public Batch<LocalDateTime> prune(JobState state, Duration age, @Nullable LocalDateTime from, int limit) {
		return this.database.transactions().run(() -> {
			List<JobAndTime> old = this.database.sql(SELECT)
				.param("state", StateCode.of(state))
				.param("ago", -Utc.micros(age))
				.param("from", Utc.orEpoch(from))
				.param("limit", limit)
				.query((row, number) -> JobAndTime.of(row, "seen_at"))
				.list();
			for (List<Long> chunk : Chunks.of(JobAndTime.ids(old))) {
				this.belongings.delete(notLive(chunk));
				this.database.numbers(DELETE).ids(chunk).update();
			}
			return JobAndTime.batch(old, limit);
		});
	}

	private List<Long> notLive(List<Long> ids) {
		Set<Long> live = Set.copyOf(this.database.numbers(LIVE).ids(ids).query((row, number) -> row.getLong(1)));
		return ids.stream().filter((id) -> !live.contains(id)).toList();
	}

}
