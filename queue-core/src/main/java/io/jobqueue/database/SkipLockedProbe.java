package io.jobqueue.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.UUID;

import org.springframework.jdbc.UncategorizedSQLException;

/**
 * Finds out by trying whether the database passes over rows that another connection has
 * locked. A version number does not tell: proxies and compatible servers accept SKIP
 * LOCKED and wait all the same.
 */
public final class SkipLockedProbe {

	private static final String INSERT = """
			INSERT INTO jobqueue_unique_key (type, unique_key, job_id, expires_at) VALUES ('jobqueue.probe', ?, 0, {now})""";

	private static final String SELECT = """
			SELECT job_id FROM jobqueue_unique_key
			WHERE type = 'jobqueue.probe' AND unique_key = ?
			FOR UPDATE SKIP LOCKED""";

	private static final int TIMEOUT_SECONDS = 3;

	private final Database database;

	/**
	 * Creates a probe.
	 * @param database the database to try
	 */
	public SkipLockedProbe(Database database) {
		this.database = database;
	}

	/**
	 * Locks a row, which is never committed, over one connection and asks for it over
	 * another.
	 * @return an empty text if the row was passed over, else what happened
	 */
	public String problem() {
		String key = UUID.randomUUID().toString();
		try (Connection holder = this.database.dataSource().getConnection();
				Connection other = this.database.dataSource().getConnection()) {
			return inTransaction(holder, () -> {
				try (PreparedStatement insert = holder.prepareStatement(this.database.constant(INSERT))) {
					insert.setString(1, key);
					insert.executeUpdate();
				}
				return inTransaction(other, () -> ask(other, key));
			});
		}
		catch (SQLException ex) {
			throw new UncategorizedSQLException("SKIP LOCKED probe", SELECT, ex);
		}
	}

	private static String ask(Connection other, String key) throws SQLException {
		try (PreparedStatement select = other.prepareStatement(SELECT)) {
			select.setQueryTimeout(TIMEOUT_SECONDS);
			select.setString(1, key);
			try (ResultSet rows = select.executeQuery()) {
				return rows.next() ? "it returned a row that another connection had locked" : "";
			}
		}
		catch (SQLException ex) {
			return "it waited for, or failed on, a row that another connection had locked: " + ex.getMessage();
		}
	}

	private static <T> T inTransaction(Connection connection, SqlWork<T> work) throws SQLException {
		boolean autoCommit = connection.getAutoCommit();
		int isolation = connection.getTransactionIsolation();
		connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
		connection.setAutoCommit(false);
		try {
			return work.run();
		}
		finally {
			connection.rollback();
			connection.setAutoCommit(autoCommit);
			connection.setTransactionIsolation(isolation);
		}
	}

	/**
	 * Something to do within a transaction.
	 *
	 * @param <T> what it returns
	 */
	private interface SqlWork<T> {

		T run() throws SQLException;

	}

}
