package io.jobqueue.store.jdbc.prune;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import io.jobqueue.ArchivedJob;
import io.jobqueue.Job;
import io.jobqueue.JobState;
import io.jobqueue.database.Chunks;
import io.jobqueue.database.Database;
import io.jobqueue.database.StateCode;
import io.jobqueue.database.Utc;
import io.jobqueue.store.Keep;
import io.jobqueue.store.MaintenanceStore.Batch;
import io.jobqueue.store.jdbc.table.Belongings;
import io.jobqueue.store.jdbc.table.DeadJobs;
import io.jobqueue.store.jdbc.table.JobAndTime;

import org.jspecify.annotations.Nullable;

/**
 * prune: deletes what was kept long enough from the archive, with its payload and errors.
 */
public final class PruneArchive {

	private static final String BY_AGE = """
			SELECT {now + :ago MICROSECOND} AS since FROM (SELECT 1 AS one) once""";

	/**
	 * Jobs that finished at that time stay: more of them may be among those to be kept.
	 */
	private static final String BY_NUMBER = """
			SELECT {readable finished_at} AS since
			FROM jobqueue_archive{byFinished}
			WHERE state = :state
			ORDER BY finished_at DESC
			LIMIT 1 OFFSET :others""";

	/**
	 * None, as soon as another application says that it stores them elsewhere; and no
	 * dead job of which somebody is still to be told.
	 */
	private static final String SELECT = """
			SELECT id, {readable finished_at} AS seen_at
			FROM jobqueue_archive{byFinished}
			WHERE state = :state AND finished_at >= :from AND finished_at < :before
			    AND NOT EXISTS (SELECT 1 FROM jobqueue_retention r WHERE r.state = :state AND r.elsewhere_until > {now})
			    AND (SELECT j.id FROM jobqueue_job j WHERE j.id = call_id) IS NULL
			ORDER BY finished_at
			LIMIT :limit
			FOR UPDATE SKIP LOCKED""";

	/**
	 * Those that were not redriven meanwhile, to be archived again with a higher fence.
	 */
	private static final String SAME = """
			SELECT id, fence, {readable enqueued_at} AS enqueued, {readable finished_at} AS finished
			FROM jobqueue_archive{byPrimary}
			WHERE id IN (:ids)
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

	private final DeadJobs dead;

	public PruneArchive(Database database) {
		this.database = database;
		this.belongings = new Belongings(database);
		this.dead = new DeadJobs(database);
	}

	/**
	 * From which time on jobs of a state are kept.
	 */
	public LocalDateTime keptSince(JobState state, Keep keep) {
		LocalDateTime byAge = this.database.read(() -> this.database.sql(BY_AGE)
			.param("ago", -Utc.micros(keep.age()))
			.query(PruneArchive::time)
			.single());
		if (keep.rows() == Keep.ANY_NUMBER) {
			return byAge;
		}
		return this.database
			.read(() -> this.database.sql(BY_NUMBER)
				.param("state", StateCode.of(state))
				.param("others", keep.rows() - 1)
				.query(PruneArchive::time)
				.optional())
			.filter(byAge::isBefore)
			.orElse(byAge);
	}

	private static LocalDateTime time(ResultSet row, int number) throws SQLException {
		return row.getObject(1, LocalDateTime.class);
	}

	public Batch<LocalDateTime> prune(JobState state, LocalDateTime before, @Nullable LocalDateTime from, int limit) {
		return this.database.transactions().run(() -> {
			List<JobAndTime> old = this.database.sql(SELECT)
				.param("state", StateCode.of(state))
				.param("before", before)
				.param("from", Utc.orEpoch(from))
				.param("limit", limit)
				.query((row, number) -> JobAndTime.of(row, "seen_at"))
				.list();
			delete(JobAndTime.ids(old));
			if (state == JobState.DEAD) {
				this.dead.remove(JobAndTime.ids(old));
			}
			return JobAndTime.batch(old, limit);
		});
	}

	/**
	 * Deletes jobs that were stored elsewhere, as they were stored.
	 */
	public int deleteStored(List<ArchivedJob> stored) {
		Set<Same> known = Set.copyOf(stored.stream().map(Same::of).toList());
		List<Long> ids = stored.stream().map((one) -> one.job().id()).sorted().toList();
		return this.database.transactions().run(() -> {
			int deleted = 0;
			for (List<Long> chunk : Chunks.of(ids)) {
				List<Long> same = this.database.numbers(SAME)
					.ids(chunk)
					.query((row, number) -> new Same(row.getLong(1), row.getLong(2), Utc.instant(row, "enqueued"),
							Utc.instantOrNull(row, "finished")))
					.stream()
					.filter(known::contains)
					.map(Same::id)
					.toList();
				delete(same);
				this.dead.remove(dead(stored, same));
				deleted += same.size();
			}
			return deleted;
		});
	}

	private static List<Long> dead(List<ArchivedJob> stored, List<Long> deleted) {
		Set<Long> dead = stored.stream()
			.map(ArchivedJob::job)
			.filter((job) -> job.state() == JobState.DEAD)
			.map(Job::id)
			.collect(Collectors.toSet());
		return deleted.stream().filter(dead::contains).toList();
	}

	private void delete(List<Long> ids) {
		for (List<Long> chunk : Chunks.of(ids)) {
			this.belongings.delete(notLive(chunk));
			this.database.numbers(DELETE).ids(chunk).update();
		}
	}

	private List<Long> notLive(List<Long> ids) {
		Set<Long> live = Set.copyOf(this.database.numbers(LIVE).ids(ids).query((row, number) -> row.getLong(1)));
		return ids.stream().filter((id) -> !live.contains(id)).toList();
	}

	/**
	 * What tells one stay in the archive from another: ids and fences may start again.
	 */
	private record Same(long id, long fence, Instant enqueuedAt, @Nullable Instant finishedAt) {

		static Same of(ArchivedJob archived) {
			return new Same(archived.job().id(), archived.fence(), archived.job().enqueuedAt(),
					archived.job().finishedAt());
		}

	}

}
