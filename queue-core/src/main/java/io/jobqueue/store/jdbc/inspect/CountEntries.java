package io.jobqueue.store.jdbc.inspect;

import io.jobqueue.JobFilter;
import io.jobqueue.JobState;
import io.jobqueue.database.Database;
import io.jobqueue.database.StateCode;

import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Counts jobs by an index alone, where nothing but their state, or their cause, is asked
 * for.
 */
final class CountEntries {

	private static final String COUNT = """
			SELECT COUNT(*) FROM (SELECT 1 AS one FROM $from LIMIT :limit) counted""";

	private static final String READY = "SELECT COUNT(*) FROM (" + FewJobs.statement(JobState.READY) + ") counted";

	private static final String WAITING = "SELECT COUNT(*) FROM (" + FewJobs.statement(JobState.WAITING) + ") counted";

	private static final String ENDED = COUNT.replace("$from", "jobqueue_archive{byFinished} WHERE state = :what");

	private static final String OF_CAUSE = COUNT.replace("$from", "jobqueue_dead_job{byCause} WHERE cause_id = :what");

	private final Database database;

	CountEntries(Database database) {
		this.database = database;
	}

	/**
	 * Whether such jobs can be counted by an index.
	 */
	static boolean can(JobFilter filter) {
		return filter.state() != null && filter.state() != JobState.RUNNING
				&& filter.equals(JobFilter.of(filter.state()).cause(filter.cause()));
	}

	/**
	 * Counts jobs.
	 * @param filter which jobs, for which {@link #can} is true
	 * @param most where to stop
	 */
	long count(JobFilter filter, long most) {
		JdbcClient.StatementSpec statement = statement(filter);
		return statement.param("limit", most).query(Long.class).single();
	}

	private JdbcClient.StatementSpec statement(JobFilter filter) {
		JobState state = filter.state();
		if (filter.cause() != null) {
			return this.database.sql(OF_CAUSE).param("what", filter.cause());
		}
		if (state == null || state.isLive()) {
			return this.database.sql((state == JobState.WAITING) ? WAITING : READY);
		}
		return this.database.sql(ENDED).param("what", StateCode.of(state));
	}

}
