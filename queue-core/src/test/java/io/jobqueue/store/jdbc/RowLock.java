package io.jobqueue.store.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

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

	private static final int STABLE_READS = 4;

	private static final long PAUSE_NANOS = 5_000_000;

	private static final long PATIENCE_NANOS = 2_000_000_000;

	/**
	 * The locks of the transaction that is open on a connection, as seen from another.
	 * The server reads them piece by piece while purge may be moving those of a page to
	 * another, so they are read until they stay the same for a while.
	 * @param transaction the connection
	 * @param schema where to connect
	 * @return the locks; at least one
	 * @throws SQLException if that fails
	 */
	static List<RowLock> of(Connection transaction, TestSchema schema) throws SQLException {
		long id = connectionId(transaction);
		try (Connection connection = schema.connect()) {
			List<RowLock> locks = read(connection, id);
			long patience = System.nanoTime() + PATIENCE_NANOS;
			for (int same = 0; same < STABLE_READS || (!anyOfRows(locks) && System.nanoTime() - patience < 0);) {
				LockSupport.parkNanos(PAUSE_NANOS);
				List<RowLock> again = read(connection, id);
				same = again.equals(locks) ? same + 1 : 0;
				locks = again;
			}
			assertThat(locks).as("locks are to be seen").isNotEmpty();
			return locks;
		}
	}

	/** Sometimes the server lists those of tables at once, and those of rows later. */
	private static boolean anyOfRows(List<RowLock> locks) {
		return locks.stream().anyMatch((lock) -> lock.type().equals("RECORD"));
	}

	private static List<RowLock> read(Connection connection, long connectionId) throws SQLException {
		List<RowLock> locks = new ArrayList<>();
		try (PreparedStatement statement = connection.prepareStatement("""
				SELECT l.OBJECT_NAME, l.INDEX_NAME, l.LOCK_TYPE, l.LOCK_MODE, l.LOCK_DATA
				FROM performance_schema.data_locks l
				JOIN performance_schema.threads t ON t.THREAD_ID = l.THREAD_ID
				WHERE t.PROCESSLIST_ID = ?
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
