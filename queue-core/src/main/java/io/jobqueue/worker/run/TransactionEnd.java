package io.jobqueue.worker.run;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The end of a handler's transaction, ack and commit. These are the queue's own, so a
 * server that does not answer is given up after its network timeout: nobody can interrupt
 * them, and without a limit a slot would wait for TCP, a quarter of an hour or more.
 */
final class TransactionEnd implements TransactionSynchronization, PriorityOrdered {

	private static final Logger log = LoggerFactory.getLogger(TransactionEnd.class);

	private @Nullable Connection limited;

	private int before;

	/** Whether the application has callbacks in this transaction. */
	private boolean callbacks;

	private boolean inCallbacks;

	private boolean committed;

	/**
	 * Creates the end of the transaction that has just begun on this thread, and
	 * registers it there.
	 */
	static TransactionEnd ofCurrent() {
		TransactionEnd end = new TransactionEnd();
		if (TransactionSynchronizationManager.isSynchronizationActive()) {
			TransactionSynchronizationManager.registerSynchronization(end);
		}
		return end;
	}

	/**
	 * Begins it.
	 * @param connection the transaction's connection
	 * @param limit how long to wait for an answer; zero for as long as the driver does
	 */
	void begin(Connection connection, Duration limit) throws SQLException {
		if (!TransactionSynchronizationManager.isSynchronizationActive()) {
			return;
		}
		this.callbacks = TransactionSynchronizationManager.getSynchronizations().size() > 1;
		if (this.callbacks) {
			TransactionSynchronizationManager.registerSynchronization(new Commit(connection, limit));
		}
		limit(connection, limit);
	}

	private void limit(Connection connection, Duration limit) throws SQLException {
		int millis = (int) Math.min(Integer.MAX_VALUE, limit.toMillis());
		if (millis == 0) {
			return;
		}
		try {
			int driver = connection.getNetworkTimeout();
			if (driver == 0 || driver > millis) {
				connection.setNetworkTimeout(Runnable::run, millis);
				this.before = driver;
				this.limited = connection;
			}
		}
		catch (SQLFeatureNotSupportedException ex) {
			log.debug("The driver has no network timeouts", ex);
		}
	}

	/**
	 * Whether callbacks before the commit are under way, or one of them has failed.
	 */
	boolean isInCallbacks() {
		return this.inCallbacks;
	}

	/**
	 * Whether the commit has taken place, whatever was thrown after it.
	 */
	boolean isCommitted() {
		return this.committed;
	}

	@Override
	public int getOrder() {
		return Ordered.HIGHEST_PRECEDENCE;
	}

	/**
	 * What follows are callbacks of the application, if it has any. They have no limit of
	 * the queue's.
	 */
	@Override
	public void beforeCommit(boolean readOnly) {
		if (this.callbacks) {
			this.inCallbacks = true;
			restore();
		}
	}

	@Override
	public void afterCommit() {
		this.committed = true;
		restore();
	}

	@Override
	public void afterCompletion(int outcome) {
		this.committed |= outcome == STATUS_COMMITTED;
		restore();
	}

	/**
	 * Spring still has the connection. Hibernate may have given it back to the pool.
	 */
	private void restore() {
		Connection connection = this.limited;
		this.limited = null;
		try {
			if (connection != null && !connection.isClosed()) {
				connection.setNetworkTimeout(Runnable::run, this.before);
			}
		}
		catch (SQLException ex) {
			log.debug("A connection that is broken keeps its network timeout", ex);
		}
	}

	/**
	 * What comes after the last callback before the commit.
	 */
	private final class Commit implements TransactionSynchronization {

		private final Connection connection;

		private final Duration limit;

		Commit(Connection connection, Duration limit) {
			this.connection = connection;
			this.limit = limit;
		}

		@Override
		public void beforeCommit(boolean readOnly) {
			try {
				limit(this.connection, this.limit);
				TransactionEnd.this.inCallbacks = false;
			}
			catch (SQLException ex) {
				throw new DataAccessResourceFailureException("The connection was lost before the commit", ex);
			}
		}

	}

}
