package io.jobqueue.node;

import java.util.function.LongSupplier;

import io.jobqueue.database.Database;
import io.jobqueue.store.JobStore;
import io.jobqueue.store.Queues;
import io.jobqueue.store.RowLocks;
import io.jobqueue.store.ScheduleStore;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.store.WorkerSessions;
import io.jobqueue.store.jdbc.JdbcJobStore;
import io.jobqueue.store.jdbc.JdbcQueues;
import io.jobqueue.store.jdbc.JdbcWorkerSessions;
import io.jobqueue.store.jdbc.rowlock.JdbcRowLocks;
import io.jobqueue.store.jdbc.schedule.JdbcScheduleStore;

/**
 * Where jobs, worker sessions, queues and schedules are.
 *
 * @param jobs the jobs
 * @param sessions the worker sessions
 * @param queues the queues
 * @param rowLocks the jobs of row-lock queues while they run
 * @param schedules the schedules
 * @param keys the order keys and the limits
 */
public record Stores(JobStore jobs, WorkerSessions sessions, Queues queues, RowLocks rowLocks, ScheduleStore schedules,
		KeyStores keys) {

	/**
	 * The stores in SQL.
	 * @param database the database, with the queue's tables in it
	 * @param settings what is kept there, and how long
	 * @return the stores
	 */
	public static Stores on(Database database, StoreSettings settings) {
		return on(database, settings, System::nanoTime);
	}

	static Stores on(Database database, StoreSettings settings, LongSupplier nanoTime) {
		return new Stores(new JdbcJobStore(database, settings, nanoTime), new JdbcWorkerSessions(database),
				new JdbcQueues(database), new JdbcRowLocks(database, settings.keepSucceeded()),
				new JdbcScheduleStore(database, settings), KeyStores.on(database, nanoTime));
	}

	/**
	 * The same with another view of the jobs.
	 * @param view the view
	 * @return the stores
	 */
	public Stores withJobs(JobStore view) {
		return new Stores(view, this.sessions, this.queues, this.rowLocks, this.schedules, this.keys);
	}

	/**
	 * The same with another view of the worker sessions.
	 * @param view the view
	 * @return the stores
	 */
	public Stores withSessions(WorkerSessions view) {
		return new Stores(this.jobs, view, this.queues, this.rowLocks, this.schedules, this.keys);
	}

}
