package io.jobqueue.store.jdbc.finish;

import java.util.List;

import io.jobqueue.JobState;
import io.jobqueue.database.Database;

/**
 * cancel: READY or RUNNING → archive CANCELLED. What a running attempt does afterwards
 * meets no row under its fence.
 */
public final class CancelJobs {

	/**
	 * Workers hold a row for a moment only, so a row that is locked is asked for again.
	 * One that the caller's own transaction has just inserted stays locked until that
	 * ends: waiting for it would be waiting for oneself.
	 */
	private static final String SELECT = """
			SELECT id FROM jobqueue_job{byPrimary} WHERE id = :id FOR UPDATE NOWAIT""";

	private final Database database;

	private final EndJobs end;

	public CancelJobs(Database database, EndJobs end) {
		this.database = database;
		this.end = end;
	}

	public boolean cancel(long id) {
		return this.database.transactions().run(() -> {
			List<Long> found = this.database.sql(SELECT).param("id", id).query(Long.class).list();
			this.end.archive(JobState.CANCELLED, found);
			return !found.isEmpty();
		});
	}

}
