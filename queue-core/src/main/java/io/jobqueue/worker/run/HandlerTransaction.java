package io.jobqueue.worker.run;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;

import javax.sql.DataSource;

import io.jobqueue.UnknownOutcomeException;
import io.jobqueue.store.ClaimStore;
import io.jobqueue.store.SqlFailure;
import io.jobqueue.worker.attempt.Attempt;

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

	private final PlatformTransactionManager transactionManager;

	private final DataSource dataSource;

	private final ClaimStore store;

	/**
	 * Creates the means to run transactional handlers.
	 * @param transactionManager the application's, for the queue's DataSource
	 * @param dataSource the queue's
	 * @param store where the ack is written
	 */
	public HandlerTransaction(PlatformTransactionManager transactionManager, DataSource dataSource, ClaimStore store) {
		this.transactionManager = transactionManager;
		this.dataSource = dataSource;
		this.store = store;
	}

	@Override
	public Ran run(Attempt attempt, HandlerCall call) throws Exception {
		TransactionStatus transaction = this.transactionManager.getTransaction(new DefaultTransactionDefinition());
		boolean acked;
		try {
			if (!transaction.isNewTransaction()) {
				throw new IllegalStateException("A transaction was open before the handler was called");
			}
			Savepoint guard = setSavepoint();
			call.run();
			if (attempt.finish() != null) {
				throw new InterruptedException("Interrupted before the ack");
			}
			if (transaction.isRollbackOnly()) {
				throw new IllegalStateException("The handler returned, but marked its transaction as rollback-only");
			}
			releaseSavepoint(guard);
			acked = this.store.ackInTransaction(attempt.claim());
		}
		catch (Throwable ex) {
			rollback(transaction, ex);
			throw ex;
		}
		if (!acked) {
			this.transactionManager.rollback(transaction);
			return Ran.STALE;
		}
		commit(transaction);
		return Ran.ACKED;
	}

	private Savepoint setSavepoint() throws SQLException {
		Connection connection = DataSourceUtils.getConnection(this.dataSource);
		try {
			return connection.setSavepoint("jobqueue_start");
		}
		finally {
			DataSourceUtils.releaseConnection(connection, this.dataSource);
		}
	}

	/**
	 * Fails if the handler's writes are gone although it returned: after a deadlock that
	 * it swallowed, and after DDL, the savepoint no longer exists (MySQL's error 1305).
	 * Spring's own way of releasing would ignore that failure.
	 */
	private void releaseSavepoint(Savepoint guard) throws SQLException {
		Connection connection = DataSourceUtils.getConnection(this.dataSource);
		try {
			connection.releaseSavepoint(guard);
		}
		catch (SQLException ex) {
			throw new SQLException(
					"The handler returned, but its transaction is not the one that it started in: it was "
							+ "rolled back by a deadlock, or committed by DDL, inside the handler",
					ex.getSQLState(), ex.getErrorCode(), ex);
		}
		finally {
			DataSourceUtils.releaseConnection(connection, this.dataSource);
		}
	}

	/**
	 * What Spring throws when the connection is lost is the failure of the rollback that
	 * it tries then, and not that of the commit.
	 */
	private void commit(TransactionStatus transaction) {
		try {
			this.transactionManager.commit(transaction);
		}
		catch (TransactionSystemException ex) {
			if (SqlFailure.isFromPool(ex)) {
				throw new UnknownOutcomeException(
						"The connection was lost during the commit of the handler's transaction; "
								+ "it is unknown whether it took place",
						ex);
			}
			throw ex;
		}
	}

	private void rollback(TransactionStatus transaction, Throwable cause) {
		Thread.interrupted();
		try {
			if (!transaction.isCompleted()) {
				this.transactionManager.rollback(transaction);
			}
		}
		catch (RuntimeException ex) {
			cause.addSuppressed(ex);
		}
	}

}
