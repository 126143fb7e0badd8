package io.jobqueue.store.jdbc;

import java.time.Duration;
import java.util.List;

import io.jobqueue.JobState;

/**
 * prune: deletes what is old from the archive, with its payload and errors.
 */
final class PruneArchive {

	private static final String SELECT = """
			SELECT id
			FROM jobqueue_archive{byFinished}
			WHERE state = :state AND finished_at < TIMESTAMPADD(MICROSECOND, :ago, {now})
			ORDER BY finished_at
			LIMIT :limit
			FOR UPDATE SKIP LOCKED""";

	private static final String DELETE = """
			{delete jobqueue_archive} WHERE id IN (:ids)""";

	private final Database database;

	private final ArchiveJobs archive;

	PruneArchive(Database database, ArchiveJobs archive) {
		this.database = database;
		this.archive = archive;
	}

	int prune(JobState state, Duration age, int limit) {
		return this.database.transactions().run(() -> {
			List<Long> ids = this.database.sql(SELECT)
				.param("state", StateCode.of(state))
				.param("ago", -Utc.micros(age))
				.param("limit", limit)
				.query(Long.class)
				.list();
			for (List<Long> chunk : Chunks.of(ids)) {
				this.archive.deleteBelongings(chunk);
				this.database.sql(DELETE).param("ids", chunk).update();
			}
			return ids.size();
		});
	}

}
