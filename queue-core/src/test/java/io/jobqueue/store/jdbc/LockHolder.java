package io.jobqueue.store.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

import io.jobqueue.test.TestSchema;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Another session, which holds rows locked until it is closed.
 */
final class LockHolder implements AutoCloseable {

	private final Connection connection;

	LockHolder(TestSchema schema) throws SQLException {
		this.connection = schema.connect();
		this.connection.setAutoCommit(false);
		this.connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
	}

	void lock(String table, String column, List<?> values) throws SQLException {
		lock("SELECT 1 FROM " + table + " FORCE INDEX (PRIMARY) WHERE " + column,
				values.stream().map(LockHolder::literal).toList());
	}

	private static String literal(Object value) {
		return (value instanceof Number) ? value.toString() : "'" + value + "'";
	}

	void lockKeys(List<String> keys) throws SQLException {
		lock("SELECT 1 FROM jobqueue_unique_key FORCE INDEX (PRIMARY) WHERE (type, unique_key)",
				keys.stream().map("('any', '%s')"::formatted).toList());
	}

	/**
	 * Locks a few rows at a time: a long list would lock the whole table on MariaDB.
	 */
	private void lock(String select, List<String> literals) throws SQLException {
		for (int start = 0; start < literals.size(); start += 100) {
			List<String> some = literals.subList(start, Math.min(literals.size(), start + 100));
			assertThat(lock(select + " IN (" + String.join(", ", some) + ")")).as(select).isEqualTo(some.size());
		}
	}

	void lockAll(String table) throws SQLException {
		assertThat(lock("SELECT 1 FROM " + table)).isPositive();
	}

	private int lock(String select) throws SQLException {
		try (Statement statement = this.connection.createStatement();
				ResultSet rows = statement.executeQuery(select + " FOR UPDATE")) {
			int locked = 0;
			while (rows.next()) {
				locked++;
			}
			return locked;
		}
	}

	@Override
	public void close() throws SQLException {
		this.connection.rollback();
		this.connection.close();
	}

}
