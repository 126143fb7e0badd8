package io.jobqueue.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.UncategorizedSQLException;

/**
 * A connection that is taken from the pool once and kept, for what must not wait until
 * the application has one to spare. Each statement commits by itself. After a failure it
 * is closed for good, since the pool would hand out again one that still answers, as a
 * server does that has become read-only; the next use takes another.
 */
public final class KeptConnection {

	private static final Logger log = LoggerFactory.getLogger(KeptConnection.class);

	private final Database database;

	private final String purpose;

	private final Consumer<Connection> closeForGood;

	/**
	 * Not a monitor: the virtual thread of a slot that waits for the database in one
	 * keeps its carrier thread (Java 21 to 23).
	 */
	private final ReentrantLock lock = new ReentrantLock();

	@GuardedBy("lock")
	private @Nullable Connection connection;

	@GuardedBy("lock")
	private boolean autoCommitBefore;

	@GuardedBy("lock")
	private int networkTimeoutBefore;

	/**
	 * Describes a connection; nothing is taken yet.
	 * @param database where from
	 * @param purpose what it is for, as it stands in errors
	 */
	public KeptConnection(Database database, String purpose) {
		this(database, purpose, KeptConnection::abort);
	}

	/**
	 * Describes a connection; nothing is taken yet.
	 * @param database where from
	 * @param purpose what it is for, as it stands in errors
	 * @param closeForGood closes it such that the pool does not hand it out again
	 */
	public KeptConnection(Database database, String purpose, Consumer<Connection> closeForGood) {
		this.database = database;
		this.purpose = purpose;
		this.closeForGood = closeForGood;
	}

	/**
	 * Does something with the connection.
	 * @param <T> what it returns
	 * @param limit how long to wait for each answer
	 * @param work what to do
	 * @return what it returned
	 * @throws DataAccessException if it fails
	 */
	public <T> T use(Duration limit, Work<T> work) {
		this.lock.lock();
		try {
			return work.run(connect(limit));
		}
		catch (SQLException ex) {
			closeForGood();
			DataAccessException translated = this.database.template()
				.getExceptionTranslator()
				.translate(this.purpose, null, ex);
			throw (translated != null) ? translated : new UncategorizedSQLException(this.purpose, null, ex);
		}
		finally {
			this.lock.unlock();
		}
	}

	@GuardedBy("lock")
	private Connection connect(Duration limit) throws SQLException {
		if (this.database.transactions().areSavepoints()) {
			return Objects.requireNonNull(this.database.callers().bound());
		}
		Connection current = this.connection;
		if (current == null) {
			current = this.database.dataSource().getConnection();
			this.connection = current;
			this.autoCommitBefore = current.getAutoCommit();
			if (this.database.can(Capability.NETWORK_TIMEOUT)) {
				this.networkTimeoutBefore = current.getNetworkTimeout();
				current.setNetworkTimeout(Runnable::run, (int) Math.max(1, limit.toMillis()));
			}
			current.setAutoCommit(true);
		}
		return current;
	}

	/**
	 * Closes the connection for good.
	 */
	public void closeForGood() {
		this.lock.lock();
		try {
			Connection current = this.connection;
			if (current != null) {
				this.connection = null;
				this.closeForGood.accept(current);
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Gives the connection back to the pool as it was. Not every pool sees to that
	 * itself.
	 */
	public void release() {
		this.lock.lock();
		try {
			Connection current = this.connection;
			this.connection = null;
			if (current != null) {
				restore(current);
				close(current);
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	@GuardedBy("lock")
	private void restore(Connection current) {
		try {
			if (!current.isClosed()) {
				if (this.database.can(Capability.NETWORK_TIMEOUT)) {
					current.setNetworkTimeout(Runnable::run, this.networkTimeoutBefore);
				}
				current.setAutoCommit(this.autoCommitBefore);
			}
		}
		catch (SQLException ex) {
			log.debug("A connection for {} is broken", this.purpose, ex);
		}
	}

	/**
	 * Closes a connection by what every driver has; the pool finds out that it is broken.
	 */
	public static void abort(Connection connection) {
		try {
			connection.abort(Runnable::run);
		}
		catch (SQLException ex) {
			log.debug("A connection could not be closed", ex);
		}
		close(connection);
	}

	private static void close(Connection connection) {
		try {
			connection.close();
		}
		catch (SQLException ex) {
			log.debug("A connection is broken; the pool throws it away", ex);
		}
	}

	/**
	 * Something to do with the connection.
	 *
	 * @param <T> what it returns
	 */
	@FunctionalInterface
	public interface Work<T> {

		T run(Connection connection) throws SQLException;

	}

}
