package io.jobqueue.store.jdbc.finish;

import java.time.LocalDateTime;
import java.util.List;

import io.jobqueue.JobState;
import io.jobqueue.database.Database;
import io.jobqueue.database.Utc;
import io.jobqueue.store.MaintenanceStore.Batch;
import io.jobqueue.store.jdbc.table.JobAndTime;

import org.jspecify.annotations.Nullable;

/**
 * expire: READY → archive EXPIRED. A claim does the same with those that it meets; this
 * finds those that no claim reaches, because their queue is paused or has a backlog.
 */
public final class ExpireJobs {

	private static final String SELECT = """
			SELECT id, {readable expires_at} AS seen_at
			FROM jobqueue_job{byExpiry}
			WHERE expires_at >= :from AND expires_at <= {now} AND state IN ({notRunning})
			ORDER BY expires_at
			LIMIT :limit
			FOR UPDATE SKIP LOCKED""";

	private final Database database;

	private final EndJobs end;

	public ExpireJobs(Database database, EndJobs end) {
		this.database = database;
		this.end = end;
	}

	public Batch<LocalDateTime> expire(@Nullable LocalDateTime from, int limit) {
		return this.database.transactions().run(() -> {
			List<JobAndTime> expired = this.database.sql(SELECT)
				.param("from", Utc.orEpoch(from))
				.param("limit", limit)
				.query((row, number) -> JobAndTime.of(row, "seen_at"))
				.list();
			this.end.archive(JobState.EXPIRED, JobAndTime.ids(expired));
			return JobAndTime.batch(expired, limit);
		});
	}

}
