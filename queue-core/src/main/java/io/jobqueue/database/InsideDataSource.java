package io.jobqueue.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.BooleanSupplier;

import javax.sql.DataSource;

import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/**
 * The DataSource of the queue's own statements; inside the transaction of a test it gives
 * that connection, which nobody closes.
 */
final class InsideDataSource extends DelegatingDataSource {

	private final CallersConnection callers;

	private final BooleanSupplier inside;

	InsideDataSource(DataSource own, CallersConnection callers, BooleanSupplier inside) {
		super(own);
		this.callers = callers;
		this.inside = inside;
	}

	@Override
	public Connection getConnection() throws SQLException {
		Connection bound = this.inside.getAsBoolean() ? this.callers.bound() : null;
		return (bound != null) ? new SingleConnectionDataSource(bound, true).getConnection() : super.getConnection();
	}

}
