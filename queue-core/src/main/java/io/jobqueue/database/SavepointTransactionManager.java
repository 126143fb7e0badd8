package io.jobqueue.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.SmartTransactionObject;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Transactions that are savepoints of one that is open on this thread: begun and ended
 * like real ones, with callbacks of their own, but nobody else sees what they commit. For
 * tests that roll back what they have done.
 */
public final class SavepointTransactionManager extends AbstractPlatformTransactionManager {

	private final transient DataSource dataSource;

	/**
	 * Creates a manager.
	 * @param dataSource the DataSource of the transaction that is open
	 */
	public SavepointTransactionManager(DataSource dataSource) {
		this.dataSource = dataSource;
	}

	@Override
	protected Object doGetTransaction() {
		return new Inner(holder());
	}

	static boolean isSavepoint(TransactionStatus status) {
		return status instanceof DefaultTransactionStatus known && known.getTransaction() instanceof Inner;
	}

	private ConnectionHolder holder() {
		if (TransactionSynchronizationManager.getResource(this.dataSource) instanceof ConnectionHolder holder) {
			return holder;
		}
		throw new IllegalTransactionStateException("No transaction is open on the job queue's DataSource");
	}

	@Override
	protected void doBegin(Object transaction, TransactionDefinition definition) {
		Inner inner = (Inner) transaction;
		inner.flush();
		// Marks of the outer transaction are none of this one's.
		inner.holder.resetRollbackOnly();
		try {
			inner.savepoint = inner.connection().setSavepoint();
		}
		catch (SQLException ex) {
			throw new TransactionSystemException("A savepoint could not be set", ex);
		}
	}

	@Override
	protected void prepareForCommit(DefaultTransactionStatus status) {
		status.flush();
	}

	@Override
	protected void doCommit(DefaultTransactionStatus status) {
		Inner inner = (Inner) status.getTransaction();
		try {
			inner.connection().releaseSavepoint(inner.savepoint);
		}
		catch (SQLException ex) {
			throw new TransactionSystemException("A savepoint could not be released", ex);
		}
	}

	@Override
	protected void doRollback(DefaultTransactionStatus status) {
		Inner inner = (Inner) status.getTransaction();
		try {
			inner.connection().rollback(inner.savepoint);
			inner.connection().releaseSavepoint(inner.savepoint);
		}
		catch (SQLException ex) {
			throw new TransactionSystemException("A savepoint could not be gone back to", ex);
		}
		EntityTransactions.clearBound();
	}

	/**
	 * What was marked as rollback-only was this transaction.
	 */
	@Override
	protected void doCleanupAfterCompletion(Object transaction) {
		Inner inner = (Inner) transaction;
		inner.holder.resetRollbackOnly();
		if (inner.wasRollbackOnly) {
			inner.holder.setRollbackOnly();
		}
	}

	@Override
	protected void doSetRollbackOnly(DefaultTransactionStatus status) {
		((Inner) status.getTransaction()).holder.setRollbackOnly();
	}

	private static final class Inner implements SmartTransactionObject {

		private final ConnectionHolder holder;

		private final boolean wasRollbackOnly;

		private @Nullable Savepoint savepoint;

		Inner(ConnectionHolder holder) {
			this.holder = holder;
			this.wasRollbackOnly = holder.isRollbackOnly();
		}

		Connection connection() {
			return this.holder.getConnection();
		}

		@Override
		public boolean isRollbackOnly() {
			return this.holder.isRollbackOnly();
		}

		/**
		 * What JPA has not written yet belongs to the transaction that it was changed in.
		 */
		@Override
		public void flush() {
			EntityTransactions.flushBound();
		}

	}

}
