package io.jobqueue.worker.run;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;

import javax.sql.DataSource;

import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * Savepoints from before handlers, which tell whether the transaction is still the one
 * that a handler has started in.
 */
final class StartSavepoints {

	private final PlatformTransactionManager transactionManager;

	private final DataSource dataSource;

	private final Duration networkTimeout;

	StartSavepoints(PlatformTransactionManager transactionManager, DataSource dataSource, Duration networkTimeout) {
		this.transactionManager = transactionManager;
		this.dataSource = dataSource;
		this.networkTimeout = networkTimeout;
	}

	/**
	 * Sets one, before the handler.
	 */
	Savepoint set() throws SQLException {
		Connection connection = DataSourceUtils.getConnection(this.dataSource);
		try {
			return connection.setSavepoint("jobqueue_start");
		}
		finally {
			DataSourceUtils.releaseConnection(connection, this.dataSource);
		}
	}

	/**
	 * Fails if the handler's writes are gone although it returned: after a deadlock that
	 * it swallowed, and after DDL, the savepoint no longer exists (MySQL's error 1305).
	 * Spring's own way of releasing would ignore that failure.
	 */
	void release(Savepoint guard, TransactionEnd end) throws SQLException {
		Connection connection = DataSourceUtils.getConnection(this.dataSource);
		try {
			end.begin(connection, limitOf(connection));
			connection.releaseSavepoint(guard);
		}
		catch (SQLException ex) {
			throw new SQLException(
					"The handler returned, but its transaction is not the one that it started in: it was "
							+ "rolled back by a deadlock, or committed by DDL, inside the handler",
					ex.getSQLState(), ex.getErrorCode(), ex);
		}
		finally {
			DataSourceUtils.releaseConnection(connection, this.dataSource);
		}
	}

	/**
	 * Hibernate gives the connection back to the pool before anybody can restore its
	 * limit. HikariCP does that itself; with other pools the limit is left alone then.
	 */
	private Duration limitOf(Connection connection) {
		boolean restored = this.transactionManager instanceof DataSourceTransactionManager
				|| connection.getClass().getName().startsWith("com.zaxxer.hikari.");
		return restored ? this.networkTimeout : Duration.ZERO;
	}

}
