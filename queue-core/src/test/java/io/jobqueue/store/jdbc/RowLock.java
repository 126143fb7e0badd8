package io.jobqueue.store.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

import io.jobqueue.test.TestSchema;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A lock that a transaction of InnoDB's holds, as MySQL shows it.
 *
 * @param table the table
 * @param index the index, or null for a lock of the table
 * @param type RECORD or TABLE
 * @param mode such as X,REC_NOT_GAP
 * @param data the values of the index entry, or null for a lock of the table
 */
record RowLock(String table, String index, String type, String mode, String data) {

	/**
	 * The locks of the transaction that is open on a connection, as seen from another.
	 * They are found by the transaction: where purge has moved them to another page, they
	 * stand under its thread. The server reads them piece by piece while that goes on, so
	 * they are read until they are the same twice. It shows no data of a page that
	 * another thread, such as purge, works on at that moment.
	 * @param transaction the connection
	 * @param schema where to connect
	 * @return the locks; at least one
	 * @throws SQLException if that fails
	 */
	static List<RowLock> of(Connection transaction, TestSchema schema) throws SQLException {
		long id = connectionId(transaction);
		try (Connection connection = schema.connect()) {
			List<RowLock> locks = read(connection, id);
			List<RowLock> before = List.of();
			while (!locks.equals(before) || !locks.stream().allMatch(RowLock::isWhole)) {
				before = locks;
				locks = read(connection, id);
			}
			assertThat(locks).as("locks are to be seen").isNotEmpty();
			return locks;
		}
	}

	private static List<RowLock> read(Connection connection, long connectionId) throws SQLException {
		List<RowLock> locks = new ArrayList<>();
		try (PreparedStatement statement = connection.prepareStatement("""
				SELECT l.OBJECT_NAME, l.INDEX_NAME, l.LOCK_TYPE, l.LOCK_MODE, l.LOCK_DATA
				FROM performance_schema.data_locks l
				WHERE l.ENGINE_TRANSACTION_ID IN (
				    SELECT own.ENGINE_TRANSACTION_ID
				    FROM performance_schema.data_locks own
				    JOIN performance_schema.threads t ON t.THREAD_ID = own.THREAD_ID
				    WHERE t.PROCESSLIST_ID = ?)
				ORDER BY 1, 2, 3, 4, 5""")) {
			statement.setLong(1, connectionId);
			try (ResultSet row = statement.executeQuery()) {
				while (row.next()) {
					locks.add(new RowLock(row.getString(1), row.getString(2), row.getString(3), row.getString(4),
							row.getString(5)));
				}
			}
		}
		return locks;
	}

	private boolean isWhole() {
		return !this.type.equals("RECORD") || this.data != null;
	}

	private static long connectionId(Connection connection) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement("SELECT CONNECTION_ID()");
				ResultSet row = statement.executeQuery()) {
			row.next();
			return row.getLong(1);
		}
	}

	/**
	 * The id of the job whose entry is locked: the last value of either index.
	 * @return the id
	 */
	Long id() {
		return Long.valueOf(this.data.substring(this.data.lastIndexOf(' ') + 1));
	}

}
