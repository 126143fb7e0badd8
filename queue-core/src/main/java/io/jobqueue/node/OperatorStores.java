package io.jobqueue.node;

import io.jobqueue.database.Database;
import io.jobqueue.store.AuditStore;
import io.jobqueue.store.DeadJobStore;
import io.jobqueue.store.HistoryStore;
import io.jobqueue.store.JobListing;
import io.jobqueue.store.OperationStore;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.store.jdbc.history.JdbcHistory;
import io.jobqueue.store.jdbc.inspect.JdbcJobListing;
import io.jobqueue.store.jdbc.operation.JdbcAudit;
import io.jobqueue.store.jdbc.operation.JdbcOperations;
import io.jobqueue.store.jdbc.prune.JdbcDeadJobs;

/**
 * Where operators look, and what they have done.
 *
 * @param listing lists of jobs
 * @param dead the causes of dead jobs
 * @param operations operations on many jobs
 * @param audit what operators have done
 * @param history what happened in the last weeks
 */
public record OperatorStores(JobListing listing, DeadJobStore dead, OperationStore operations, AuditStore audit,
		HistoryStore history) {

	/**
	 * The stores in SQL.
	 * @param database the database, with the queue's tables in it
	 * @param settings what is kept there
	 * @return the stores
	 */
	public static OperatorStores on(Database database, StoreSettings settings) {
		return new OperatorStores(new JdbcJobListing(database), new JdbcDeadJobs(database),
				new JdbcOperations(database, settings), new JdbcAudit(database), new JdbcHistory(database));
	}

}
