package io.jobqueue.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

import javax.sql.DataSource;

import io.jobqueue.store.SqlFailure;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.jdbc.datasource.JdbcTransactionObjectSupport;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.support.DefaultTransactionStatus;

/**
 * Begins and ends the queue's own transactions.
 */
final class QueueTransactionManager extends JdbcTransactionManager {

	private static final Logger log = LoggerFactory.getLogger(QueueTransactionManager.class);

	private final boolean setsIsolation;

	/**
	 * Creates a transaction manager.
	 * @param dataSource the DataSource
	 * @param setsIsolation whether each transaction is set to READ COMMITTED by one
	 * statement that needs no undoing. Spring's own way reads the old level first and
	 * restores it afterwards: three round trips instead of one
	 */
	QueueTransactionManager(DataSource dataSource, boolean setsIsolation) {
		super(dataSource);
		this.setsIsolation = setsIsolation;
	}

	@Override
	protected void prepareTransactionalConnection(Connection connection, TransactionDefinition definition)
			throws SQLException {
		super.prepareTransactionalConnection(connection, definition);
		if (this.setsIsolation) {
			try (Statement statement = connection.createStatement()) {
				statement.execute("SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
			}
		}
	}

	/**
	 * A commit that fails is rolled back here, where its connection is at hand for the
	 * last time. Spring would do so too, but would then throw the failure of the rollback
	 * instead: after a commit whose connection was lost that one says no more than
	 * "Connection is closed" (AbstractPlatformTransactionManager,
	 * doRollbackOnCommitException).
	 * @throws FailedCommit with the reason
	 */
	@Override
	protected void doCommit(DefaultTransactionStatus status) {
		try {
			super.doCommit(status);
		}
		catch (RuntimeException ex) {
			if (status.getTransaction() instanceof JdbcTransactionObjectSupport own) {
				giveUp(own.getConnectionHolder().getConnection(), ex);
			}
			throw new FailedCommit(ex);
		}
	}

	private static void giveUp(Connection connection, RuntimeException cause) {
		if (!SqlFailure.isWrongServer(cause) && isRolledBack(connection)) {
			return;
		}
		abort(connection);
	}

	/**
	 * Closes a connection for good. Whatever is still open in it must neither be
	 * committed nor given to others.
	 */
	static void abort(Connection connection) {
		try {
			connection.abort(Runnable::run);
		}
		catch (SQLException | RuntimeException ex) {
			log.debug("A connection could not be closed", ex);
		}
	}

	private static boolean isRolledBack(Connection connection) {
		try {
			connection.rollback();
			return true;
		}
		catch (SQLException | RuntimeException ex) {
			log.debug("A commit that failed could not be rolled back", ex);
			return false;
		}
	}

	/**
	 * A commit that failed, or whose outcome is unknown.
	 */
	static final class FailedCommit extends TransactionException {

		private final transient RuntimeException reason;

		private FailedCommit(RuntimeException reason) {
			super("The commit failed", reason);
			this.reason = reason;
		}

		RuntimeException reason() {
			return this.reason;
		}

	}

}
