package io.jobqueue.store.jdbc;

import io.jobqueue.database.Database;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.store.jdbc.claim.FlawedJobs;
import io.jobqueue.store.jdbc.claim.JobTypes;
import io.jobqueue.store.jdbc.claim.SortOutJobs;
import io.jobqueue.store.jdbc.claim.TakeWaiting;
import io.jobqueue.store.jdbc.finish.EndJobs;
import io.jobqueue.store.jdbc.finish.ExpireJobs;
import io.jobqueue.store.jdbc.finish.RunningJobs;
import io.jobqueue.store.jdbc.table.LimitedTypes;
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
 * @param limited which types have limits
 * @param waiting claims of jobs that wait for order keys
 */
record SharedStatements(StoreErrors errors, EndJobs end, RunningJobs running, ExpireJobs expire, FlawedJobs flawed,
		JobTypes types, SortOutJobs sortOut, LimitedTypes limited, TakeWaiting waiting) {

	/**
	 * Makes the statements.
	 * @param database the database, with the queue's tables in it
	 * @param settings what is kept, and what comes with a job
	 */
	static SharedStatements of(Database database, StoreSettings settings) {
		StoreErrors errors = new StoreErrors(database);
		EndJobs end = new EndJobs(database, errors, settings.keepSucceeded());
		JobTypes types = new JobTypes(database);
		FlawedJobs flawed = new FlawedJobs(database, end);
		LimitedTypes limited = new LimitedTypes(database, System::nanoTime);
		return new SharedStatements(errors, end, new RunningJobs(database), new ExpireJobs(database, end), flawed,
				types, new SortOutJobs(database, types, flawed, limited), limited,
				new TakeWaiting(database, limited, settings.inlinePayload()));
	}

}
