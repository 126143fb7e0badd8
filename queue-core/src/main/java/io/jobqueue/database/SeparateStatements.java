package io.jobqueue.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Supplier;

import javax.sql.DataSource;

import io.jobqueue.UnknownOutcomeException;
import io.jobqueue.store.SqlFailure;

import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Statements of which each commits by itself, on one connection: each takes one round
 * trip to the server, and locks nothing for longer.
 */
final class SeparateStatements {

	private final DataSource dataSource;

	private final JdbcTemplate session;

	private final boolean setsIsolation;

	/**
	 * Creates them.
	 * @param dataSource the DataSource of the queue's own transactions
	 * @param setsIsolation whether the isolation level of the next statement can be set;
	 * else all have READ COMMITTED
	 */
	SeparateStatements(DataSource dataSource, boolean setsIsolation) {
		this.dataSource = dataSource;
		this.session = new JdbcTemplate(dataSource);
		this.setsIsolation = setsIsolation;
	}

	/**
	 * Runs statements.
	 * @param <T> what they return
	 * @param work the statements
	 * @param otherwise what to do instead with connections that do not commit by
	 * themselves
	 * @return what the work returned
	 */
	<T> T run(Supplier<T> work, Supplier<T> otherwise) {
		Connection connection = DataSourceUtils.getConnection(this.dataSource);
		try {
			if (commitsByItself(connection)) {
				return runOn(connection, work);
			}
		}
		finally {
			DataSourceUtils.releaseConnection(connection, this.dataSource);
		}
		return otherwise.get();
	}

	private <T> T runOn(Connection connection, Supplier<T> work) {
		TransactionSynchronizationManager.bindResource(this.dataSource, new ConnectionHolder(connection));
		try {
			return work.get();
		}
		catch (RuntimeException ex) {
			if (SqlFailure.isWrongServer(ex)) {
				QueueTransactionManager.abort(connection);
			}
			if (SqlFailure.isOutage(ex) && !SqlFailure.isRefused(ex)) {
				throw new UnknownOutcomeException("The connection was lost during a statement that commits by itself",
						ex);
			}
			throw ex;
		}
		finally {
			TransactionSynchronizationManager.unbindResource(this.dataSource);
		}
	}

	/**
	 * Asked of the driver alone. In some pools connections have auto-commit off.
	 */
	private static boolean commitsByItself(Connection connection) {
		try {
			return connection.getAutoCommit();
		}
		catch (SQLException ex) {
			throw new DataAccessResourceFailureException("Looking at a connection", ex);
		}
	}

	/**
	 * Sets the isolation level of the next statement, if none of a transaction.
	 */
	void readCommitted() {
		if (this.setsIsolation && !TransactionSynchronizationManager.isActualTransactionActive()) {
			this.session.execute("SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
		}
	}

}
