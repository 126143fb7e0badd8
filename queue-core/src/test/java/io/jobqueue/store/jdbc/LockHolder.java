package io.jobqueue.store.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Collectors;

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
		assertThat(lock("SELECT 1 FROM " + table + " FORCE INDEX (PRIMARY) WHERE " + column + " IN "
				+ values.stream().map(LockHolder::literal).collect(Collectors.joining(", ", "(", ")"))))
			.as("rows of %s locked", table)
			.isEqualTo(values.size());
	}

	private static String literal(Object value) {
		return (value instanceof Number) ? value.toString() : "'" + value + "'";
	}

	void lockKeys(List<String> keys) throws SQLException {
		assertThat(lock("SELECT 1 FROM jobqueue_unique_key FORCE INDEX (PRIMARY) WHERE (type, unique_key) IN "
				+ keys.stream().map((key) -> "('any', '" + key + "')").collect(Collectors.joining(", ", "(", ")"))))
			.isEqualTo(keys.size());
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
