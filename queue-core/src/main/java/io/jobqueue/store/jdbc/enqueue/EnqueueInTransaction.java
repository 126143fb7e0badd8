package io.jobqueue.store.jdbc.enqueue;

import java.sql.Connection;
import java.util.List;

import io.jobqueue.database.CallersConnection;
import io.jobqueue.database.Database;
import io.jobqueue.database.Transactions;
import io.jobqueue.store.Enqueued;
import io.jobqueue.store.EnqueuedJob;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.store.jdbc.table.LimitedTypes;

import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Finds the transaction in which new jobs are stored: the caller's if it is open, or one
 * of the queue's own.
 */
public final class EnqueueInTransaction {

	private final Database database;

	private final StoreSettings settings;

	private final LimitedTypes limits;

	private final EnqueueJobs enqueue;

	private final EnqueueJobs enqueueWithCaller;

	/**
	 * Creates it.
	 * @param database the database
	 * @param settings how jobs are stored
	 */
	public EnqueueInTransaction(Database database, StoreSettings settings) {
		this.database = database;
		this.settings = settings;
		this.limits = new LimitedTypes(database, System::nanoTime);
		this.enqueue = enqueue(database, settings, this.limits);
		this.enqueueWithCaller = enqueue(database.ofCaller(), settings, this.limits);
	}

	private static EnqueueJobs enqueue(Database database, StoreSettings settings, LimitedTypes limits) {
		return new EnqueueJobs(database, new UniqueKeys(database, settings.uniqueKeyRetention()),
				new InsertJobs(database, settings.inlinePayload(), limits));
	}

	/**
	 * Stores jobs.
	 * @param jobs the jobs
	 * @return what was stored, and under which ids
	 */
	public Enqueued enqueue(List<EnqueuedJob> jobs) {
		if (jobs.isEmpty()) {
			return new Enqueued(List.of(), List.of());
		}
		return switch (this.database.callers().phase()) {
			case NONE -> enqueueApart(jobs);
			case OPEN -> enqueueWithCaller(jobs);
			case OVER -> enqueueAfterCallers(jobs);
			case OTHER -> throw new IllegalStateException("The current transaction is not on the job queue's "
					+ "DataSource, so the job would be enqueued even if that transaction is rolled back. Enqueue in a "
					+ "transaction of the queue's DataSource (choose it with @JobQueueDataSource), or outside of any "
					+ "transaction.");
			case UNKNOWN -> throw new IllegalStateException("This callback runs after a transaction whose manager is "
					+ "not a bean. The job queue cannot tell whether a transaction is open, and so whether the job would "
					+ "be committed. Enqueue in a new transaction (REQUIRES_NEW), or make the manager a bean.");
		};
	}

	/**
	 * Stores jobs in a transaction of the queue's own that is open on this thread.
	 * @param jobs the jobs
	 * @return what was stored, and under which ids
	 */
	public Enqueued enqueueInOwn(List<EnqueuedJob> jobs) {
		return jobs.isEmpty() ? new Enqueued(List.of(), List.of()) : enqueueOn(this.database, this.enqueue, jobs, true);
	}

	private Enqueued enqueueOn(Database connection, EnqueueJobs enqueue, List<EnqueuedJob> jobs,
			boolean readCommitted) {
		this.limits.refresh(connection);
		return enqueue.enqueue(jobs, readCommitted);
	}

	private Enqueued enqueueWithCaller(List<EnqueuedJob> jobs) {
		CallersConnection callers = this.database.callers();
		return enqueueOn(this.database.ofCaller(), this.enqueueWithCaller, jobs, callers.isReadCommitted())
			.sharing(callers.transaction()::afterCommit);
	}

	/**
	 * The caller's transaction is over, but its connection is not yet back in the pool. A
	 * second one might never come, if every thread that has one waited for another.
	 */
	private Enqueued enqueueAfterCallers(List<EnqueuedJob> jobs) {
		Connection connection = this.database.callers().bound();
		if (connection == null) {
			return enqueueApart(jobs);
		}
		Database same = this.database.on(connection);
		// What the callback has done on it by itself is over, too. It would be committed
		// with the jobs otherwise, or be in the way of their isolation level.
		same.callers().commitWhatIsOpen(connection);
		return same.transactions().run(() -> enqueueOn(same, enqueue(same, this.settings, this.limits), jobs, true));
	}

	private Enqueued enqueueApart(List<EnqueuedJob> jobs) {
		Transactions transactions = this.database.transactions();
		// In a scope without transaction (SUPPORTS) Spring would keep a connection that
		// was asked for until the scope ends; a transaction of its own suspends that.
		boolean alone = this.enqueue.isOneStatement(jobs) && this.database.commitsByItself()
				&& !TransactionSynchronizationManager.isSynchronizationActive();
		return alone ? transactions.runOneStatement(() -> enqueueInOwn(jobs))
				: transactions.run(() -> enqueueInOwn(jobs));
	}

}
