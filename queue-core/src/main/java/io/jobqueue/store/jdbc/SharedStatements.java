package io.jobqueue.store.jdbc;

import io.jobqueue.database.Database;
import io.jobqueue.store.jdbc.claim.FlawedJobs;
import io.jobqueue.store.jdbc.claim.JobTypes;
import io.jobqueue.store.jdbc.claim.SortOutJobs;
import io.jobqueue.store.jdbc.finish.EndJobs;
import io.jobqueue.store.jdbc.finish.ExpireJobs;
import io.jobqueue.store.jdbc.finish.RunningJobs;
import io.jobqueue.store.jdbc.table.StoreErrors;

/**
 * Statements that several who ask the store have in common.
 *
 * @param errors errors of attempts
 * @param end the end of jobs
 * @param running reads of running jobs
 * @param expire the end of ready jobs whose time is over
 * @param flawed the end of jobs that cannot run
 * @param types the numbers of types
 * @param sortOut ranges of types
 */
record SharedStatements(StoreErrors errors, EndJobs end, RunningJobs running, ExpireJobs expire, FlawedJobs flawed,
		JobTypes types, SortOutJobs sortOut) {

	SharedStatements(Database database, boolean keepSucceeded) {
		this(database, new StoreErrors(database), keepSucceeded);
	}

	private SharedStatements(Database database, StoreErrors errors, boolean keepSucceeded) {
		this(database, errors, new EndJobs(database, errors, keepSucceeded), new JobTypes(database));
	}

	private SharedStatements(Database database, StoreErrors errors, EndJobs end, JobTypes types) {
		this(errors, end, new RunningJobs(database), new ExpireJobs(database, end), new FlawedJobs(database, end),
				types, new SortOutJobs(database, types));
	}

}
