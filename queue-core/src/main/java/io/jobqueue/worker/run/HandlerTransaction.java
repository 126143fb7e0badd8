package io.jobqueue.worker.run;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

import javax.sql.DataSource;

import io.jobqueue.UnknownOutcomeException;
import io.jobqueue.store.Claim;
import io.jobqueue.store.SqlFailure;
import io.jobqueue.worker.attempt.Attempt;
import io.jobqueue.worker.attempt.Chunk;
import io.jobqueue.worker.run.JobsInTransactions.InTransaction;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.DefaultTransactionDefinition;

/**
 * Runs a transactional handler: its writes and the fenced ack commit together or not at
 * all.
 */
public final class HandlerTransaction implements RunUnit {

	private static final Logger log = LoggerFactory.getLogger(HandlerTransaction.class);

	private final PlatformTransactionManager transactionManager;

	private final DataSource dataSource;

	private final JobsInTransactions jobs;

	private final StartSavepoints savepoints;

	private final OtherDataSources others;

	/**
	 * Creates the means to run transactional handlers.
	 * @param transactionManager the application's, for the queue's DataSource
	 * @param dataSource the queue's
	 * @param jobs what jobs have to do with their handlers' transactions
	 * @param networkTimeout how long ack and commit wait for an answer of the server;
	 * zero for as long as the driver does
	 */
	public HandlerTransaction(PlatformTransactionManager transactionManager, DataSource dataSource,
			JobsInTransactions jobs, Duration networkTimeout) {
		this.transactionManager = transactionManager;
		this.dataSource = dataSource;
		this.jobs = jobs;
		this.savepoints = new StartSavepoints(transactionManager, dataSource, networkTimeout);
		this.others = new OtherDataSources(dataSource);
	}

	private HandlerTransaction(HandlerTransaction other, JobsInTransactions jobs) {
		this.transactionManager = other.transactionManager;
		this.dataSource = other.dataSource;
		this.jobs = jobs;
		this.savepoints = other.savepoints;
		this.others = other.others;
	}

	/**
	 * The same for jobs that are kept elsewhere.
	 * @param jobs what they have to do with their handlers' transactions
	 * @return the means to run transactional handlers
	 */
	public HandlerTransaction with(JobsInTransactions jobs) {
		return new HandlerTransaction(this, jobs);
	}

	@Override
	public Ran run(Attempt attempt, HandlerCall call) throws Exception {
		return run(attempt, this.jobs.of(attempt), () -> attempt.finish() != null, call);
	}

	/**
	 * Runs a batch handler in the same way.
	 * @param chunk the attempts
	 * @param acked tells which claims end by it, once it has returned
	 * @param stale is told of those that were not current any more
	 * @param call calls the handler
	 * @return what became of the claims
	 */
	Ran run(Chunk chunk, Supplier<List<Claim>> acked, Consumer<Set<Claim>> stale, HandlerCall call) throws Exception {
		return run(chunk.attempts().get(0), this.jobs.ofChunk(acked, stale), chunk::finish, call);
	}

	private Ran run(Attempt attempt, InTransaction job, BooleanSupplier finish, HandlerCall call) throws Exception {
		TransactionStatus transaction = begin(job);
		if (transaction == null) {
			return Ran.MISSED;
		}
		boolean acked;
		TransactionEnd end;
		Savepoint guard = null;
		try {
			if (!transaction.isNewTransaction()) {
				throw new IllegalStateException("A transaction was open before the handler was called");
			}
			end = TransactionEnd.ofCurrent();
			if (!beginOrLeave(job)) {
				this.transactionManager.rollback(transaction);
				return Ran.MISSED;
			}
			guard = this.savepoints.set();
			this.others.watch(attempt, call);
			if (!transaction.isRollbackOnly()) {
				// What JPA has not written yet is the handler's: it may be interrupted,
				// and has no limit of the queue's.
				transaction.flush();
			}
			if (finish.getAsBoolean()) {
				throw new InterruptedException("Interrupted before the ack");
			}
			if (transaction.isRollbackOnly()) {
				throw new IllegalStateException("The handler returned, but marked its transaction as rollback-only");
			}
			this.savepoints.release(guard, end);
			acked = job.ack();
		}
		catch (Throwable ex) {
			rollback(transaction, job, guard, ex);
			throw ex;
		}
		if (!acked) {
			this.transactionManager.rollback(transaction);
			return Ran.STALE;
		}
		try {
			commit(transaction, end);
		}
		catch (RuntimeException | Error ex) {
			rolledBack(job, ex);
			throw ex;
		}
		return Ran.ACKED;
	}

	private @Nullable TransactionStatus begin(InTransaction job) {
		try {
			return this.transactionManager.getTransaction(new DefaultTransactionDefinition());
		}
		catch (RuntimeException ex) {
			if (job.leave(ex)) {
				return null;
			}
			throw ex;
		}
	}

	/**
	 * An attempt that could not begin is none.
	 */
	private static boolean beginOrLeave(InTransaction job) {
		try {
			return job.begin();
		}
		catch (RuntimeException ex) {
			if (job.leave(ex)) {
				return false;
			}
			throw ex;
		}
	}

	/**
	 * What Spring throws when the connection is lost is the failure of the rollback that
	 * it tries then, and not that of the commit.
	 */
	private void commit(TransactionStatus transaction, TransactionEnd end) {
		try {
			this.transactionManager.commit(transaction);
		}
		catch (RuntimeException | Error ex) {
			if (end.isCommitted()) {
				log.warn("A callback after the commit of a job's transaction failed; the job has succeeded", ex);
				return;
			}
			boolean fromPool = ex instanceof TransactionSystemException failure && SqlFailure.isFromPool(failure);
			if (end.isInCallbacks() && (fromPool || SqlFailure.isOutage(ex))) {
				throw new DataAccessResourceFailureException("The connection was lost before the commit of the "
						+ "handler's transaction, in a callback of the application", ex);
			}
			if (fromPool) {
				throw new UnknownOutcomeException("The connection was lost during the commit of the handler's "
						+ "transaction; it is unknown whether it took place", ex);
			}
			throw ex;
		}
	}

	private void rollback(TransactionStatus transaction, InTransaction job, @Nullable Savepoint guard,
			Throwable cause) {
		Thread.interrupted();
		try {
			if (!transaction.isCompleted()) {
				failed(job, guard, cause);
				this.transactionManager.rollback(transaction);
			}
		}
		catch (RuntimeException ex) {
			cause.addSuppressed(ex);
		}
		rolledBack(job, cause);
	}

	private void failed(InTransaction job, @Nullable Savepoint guard, Throwable cause) {
		Connection connection = DataSourceUtils.getConnection(this.dataSource);
		try {
			job.failed(connection, guard);
		}
		catch (RuntimeException | SQLException ex) {
			cause.addSuppressed(ex);
		}
		finally {
			DataSourceUtils.releaseConnection(connection, this.dataSource);
		}
	}

	private static void rolledBack(InTransaction job, Throwable cause) {
		try {
			job.rolledBack();
		}
		catch (RuntimeException ex) {
			cause.addSuppressed(ex);
		}
	}

}
