package io.jobqueue.store.jdbc;

import java.util.List;

import io.jobqueue.JobState;

/**
 * expire: READY → archive EXPIRED. A claim does the same with those that it meets; this
 * finds those that no claim reaches, because their queue is paused or has a backlog.
 */
final class ExpireJobs {

	private static final String SELECT = """
			SELECT id
			FROM jobqueue_job{byExpiry}
			WHERE expires_at <= {now} AND state IN (0, 2)
			ORDER BY expires_at
			LIMIT :limit
			FOR UPDATE SKIP LOCKED""";

	private final Database database;

	private final ArchiveJobs archive;

	ExpireJobs(Database database, ArchiveJobs archive) {
		this.database = database;
		this.archive = archive;
	}

	int expire(int limit) {
		return this.database.transactions().run(() -> {
			List<Long> ids = this.database.sql(SELECT).param("limit", limit).query(Long.class).list();
			this.archive.move(JobState.EXPIRED, ids);
			return ids.size();
		});
	}

}
