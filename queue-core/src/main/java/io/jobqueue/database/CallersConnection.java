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
		ConnectionHolder holder = holder();
		return (holder != null) ? holder.getConnection() : null;
	}

	/**
	 * Where the caller is in a transaction on it.
	 * @return the phase
	 */
	public Phase phase() {
		ConnectionHolder holder = holder();
		CallersTransaction own = (holder != null) ? CallersTransactions.of(holder) : null;
		if (own != null) {
			return own.isOver() ? afterwards(own) : Phase.OPEN;
		}
		if (holder != null && isActive(holder)) {
			return CallersTransactions.isInCallback() ? Phase.UNKNOWN : Phase.OPEN;
		}
		if (!TransactionSynchronizationManager.isActualTransactionActive()) {
			return Phase.NONE;
		}
		if (!TransactionSynchronizationManager.isSynchronizationActive()) {
			// Spring ends it before it calls those who wait for the completion.
			return Phase.OVER;
		}
		CallersTransaction current = CallersTransactions.current();
		if (current != null && current.isOver()) {
			return Phase.OVER;
		}
		if (current == null && CallersTransactions.isInCallback()) {
			return Phase.UNKNOWN;
		}
		return isOfJta(holder) ? Phase.OPEN : Phase.OTHER;
	}

	/**
	 * In the callbacks of a transaction that is over another one may have begun.
	 */
	private static Phase afterwards(CallersTransaction over) {
		if (!TransactionSynchronizationManager.isActualTransactionActive()
				|| !TransactionSynchronizationManager.isSynchronizationActive()) {
			return Phase.OVER;
		}
		CallersTransaction current = CallersTransactions.current();
		if (current == null) {
			return Phase.UNKNOWN;
		}
		return current.isOver() ? Phase.OVER : Phase.OTHER;
	}

	/**
	 * Whether the caller has a transaction open on it, as far as can be told at once.
	 */
	public boolean isInTransaction() {
		ConnectionHolder holder = holder();
		if (holder == null) {
			return false;
		}
		CallersTransaction own = CallersTransactions.of(holder);
		return (own != null) ? !own.isOver() : isActive(holder) || isOfJta(holder);
	}

	/**
	 * What is kept of the transaction that is open on it. Where its manager does not tell
	 * the queue of its transactions, the innermost transaction of the thread stands in
	 * for it.
	 */
	public CallersTransaction transaction() {
		ConnectionHolder holder = holder();
		CallersTransaction transaction = (holder != null) ? CallersTransactions.of(holder) : null;
		if (transaction == null) {
			transaction = CallersTransactions.current();
		}
		if (transaction == null) {
			transaction = new CallersTransaction();
			transaction.register();
		}
		return transaction;
	}

	private @Nullable ConnectionHolder holder() {
		return (TransactionSynchronizationManager.getResource(this.dataSource) instanceof ConnectionHolder holder)
				? holder : null;
	}

	/**
	 * Whether a transaction has bound the connection. That it is bound is not enough:
	 * Spring binds it for a mere read, too, within a transaction of another DataSource.
	 */
	private boolean isActive(ConnectionHolder holder) {
		// JPA's transaction manager leaves this out, those of JDBC do not. So may a
		// program that binds a connection by hand, without any transaction.
		return holder.isSynchronizedWithTransaction() ? SpringsView.isOpenOn(this.dataSource)
				: TransactionSynchronizationManager.isActualTransactionActive();
	}

	/**
	 * JTA's connections do not commit by themselves, whatever the pool's others do.
	 */
	private boolean isOfJta(@Nullable ConnectionHolder holder) {
		return holder != null && this.autoCommits && TransactionSynchronizationManager.isActualTransactionActive()
				&& !isAutoCommit();
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
	 * Where the caller is in a transaction.
	 */
	public enum Phase {

		/** There is none. */
		NONE,

		/** One is open on the queue's DataSource, and can be joined. */
		OPEN,

		/** It was committed or rolled back, and no other has begun. */
		OVER,

		/** One of another DataSource is open, and none on the queue's. */
		OTHER,

		/**
		 * A callback runs after the end of some transaction, and one of those that are to
		 * be looked at has a manager without {@link CallersTransactions}: whether it is
		 * over cannot be told.
		 */
		UNKNOWN

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
