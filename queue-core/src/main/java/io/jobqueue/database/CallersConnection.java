package io.jobqueue.database;

import java.sql.Connection;
import java.sql.SQLException;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The connection to the queue's database that the caller has on this thread, and whether
 * a transaction is open on it.
 */
public final class CallersConnection {

	private final DataSource dataSource;

	private final boolean autoCommits;

	/**
	 * Describes the callers of a database.
	 * @param dataSource the database
	 * @param autoCommits whether its connections commit by themselves
	 */
	CallersConnection(DataSource dataSource, boolean autoCommits) {
		this.dataSource = dataSource;
		this.autoCommits = autoCommits;
	}

	/**
	 * The connection that Spring has bound to this thread for the caller.
	 * @return the connection, or null if there is none
	 */
	public @Nullable Connection bound() {
		return (TransactionSynchronizationManager.getResource(this.dataSource) instanceof ConnectionHolder holder)
				? holder.getConnection() : null;
	}

	/**
	 * Whether the caller has a transaction open on it. That its connection is bound to
	 * the thread is not enough: Spring binds it for a mere read, too, within a
	 * transaction of another DataSource.
	 */
	public boolean isInTransaction() {
		if (!TransactionSynchronizationManager.isActualTransactionActive()) {
			return false;
		}
		if (!(TransactionSynchronizationManager.getResource(this.dataSource) instanceof ConnectionHolder holder)) {
			return false;
		}
		if (!holder.isSynchronizedWithTransaction()) {
			// Bound by JPA's transaction manager.
			return true;
		}
		if (SpringsView.isOpenOn(this.dataSource)) {
			return true;
		}
		// JTA's connections do not commit by themselves, whatever the pool's others do.
		return this.autoCommits && !isAutoCommit();
	}

	private boolean isAutoCommit() {
		Connection connection = DataSourceUtils.getConnection(this.dataSource);
		try {
			return connection.getAutoCommit();
		}
		catch (SQLException ex) {
			throw new UncategorizedSQLException("Looking for a transaction", null, ex);
		}
		finally {
			DataSourceUtils.releaseConnection(connection, this.dataSource);
		}
	}

	/**
	 * Whether each statement of the caller's transaction sees what others have committed
	 * by then.
	 */
	public boolean isReadCommitted() {
		Connection connection = DataSourceUtils.getConnection(this.dataSource);
		try {
			return connection.getTransactionIsolation() <= Connection.TRANSACTION_READ_COMMITTED;
		}
		catch (SQLException ex) {
			throw new UncategorizedSQLException("Looking at a transaction", null, ex);
		}
		finally {
			DataSourceUtils.releaseConnection(connection, this.dataSource);
		}
	}

	/**
	 * Ends what is open on a connection whose transaction is over.
	 */
	public void commitWhatIsOpen(Connection connection) {
		try {
			if (!connection.getAutoCommit()) {
				connection.commit();
			}
		}
		catch (SQLException ex) {
			throw new UncategorizedSQLException("Ending what is open on a connection", null, ex);
		}
	}

	/**
	 * Asks Spring's own transaction manager, which alone knows, whether it has begun a
	 * transaction.
	 */
	private static final class SpringsView extends DataSourceTransactionManager {

		private SpringsView(DataSource dataSource) {
			super(dataSource);
		}

		static boolean isOpenOn(DataSource dataSource) {
			SpringsView manager = new SpringsView(dataSource);
			return manager.isExistingTransaction(manager.doGetTransaction());
		}

	}

}
