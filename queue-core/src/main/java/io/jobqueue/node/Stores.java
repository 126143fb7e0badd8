package io.jobqueue.node;

import io.jobqueue.database.Database;
import io.jobqueue.store.JobStore;
import io.jobqueue.store.Queues;
import io.jobqueue.store.RowLocks;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.store.WorkerSessions;
import io.jobqueue.store.jdbc.JdbcJobStore;
import io.jobqueue.store.jdbc.JdbcQueues;
import io.jobqueue.store.jdbc.JdbcWorkerSessions;
import io.jobqueue.store.jdbc.rowlock.JdbcRowLocks;

/**
 * Where jobs, worker sessions and queues are.
 *
 * @param jobs the jobs
 * @param sessions the worker sessions
 * @param queues the queues
 * @param rowLocks the jobs of row-lock queues while they run
 */
public record Stores(JobStore jobs, WorkerSessions sessions, Queues queues, RowLocks rowLocks) {

	/**
	 * The stores in SQL.
	 * @param database the database, with the queue's tables in it
	 * @param settings what is kept there, and how long
	 * @return the stores
	 */
	public static Stores on(Database database, StoreSettings settings) {
		return new Stores(new JdbcJobStore(database, settings), new JdbcWorkerSessions(database),
				new JdbcQueues(database), new JdbcRowLocks(database, settings.keepSucceeded()));
	}

}
