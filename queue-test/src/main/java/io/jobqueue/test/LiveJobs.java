package io.jobqueue.test;

import java.util.List;
import java.util.Optional;

import io.jobqueue.Job;
import io.jobqueue.database.Database;
import io.jobqueue.store.JobStore;

/**
 * The jobs that have not ended, as the test sees them.
 */
final class LiveJobs {

	private static final String SELECT = "SELECT id FROM jobqueue_job ORDER BY id";

	private LiveJobs() {
	}

	static List<Job> of(Database database, JobStore jobs) {
		return database.sql(SELECT)
			.query(Long.class)
			.list()
			.stream()
			.map(jobs::find)
			.flatMap(Optional::stream)
			.toList();
	}

}
