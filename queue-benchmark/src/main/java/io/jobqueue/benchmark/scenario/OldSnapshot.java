package io.jobqueue.benchmark.scenario;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

import com.zaxxer.hikari.HikariDataSource;
import io.jobqueue.benchmark.Server;

/**
 * A session that goes on seeing the database as it was when this was created, as a backup
 * or a report does.
 */
final class OldSnapshot implements AutoCloseable {

	private final HikariDataSource pool;

	private final Connection connection;

	OldSnapshot(Server server) throws SQLException {
		this.pool = server.pool("", 1);
		this.connection = this.pool.getConnection();
		this.connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
		execute("START TRANSACTION WITH CONSISTENT SNAPSHOT");
	}

	private void execute(String statement) throws SQLException {
		try (Statement plain = this.connection.createStatement()) {
			plain.execute(statement);
		}
	}

	@Override
	public void close() throws SQLException {
		try {
			execute("ROLLBACK");
			this.connection.close();
		}
		finally {
			this.pool.close();
		}
	}

}
