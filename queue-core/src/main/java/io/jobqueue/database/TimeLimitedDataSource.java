package io.jobqueue.database;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;

import javax.sql.DataSource;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * The application's DataSource as the queue's own transactions and reads use it: a server
 * that does not answer any more, frozen or gone with its host, is given up after a time.
 * Left to the driver's defaults, a thread would wait for it until TCP gives up, a quarter
 * of an hour or more. The application's own use of its connections is not limited: each
 * gets its old limit back when it is closed.
 * <p>
 * Being another object than the application's DataSource, it also keeps the queue's own
 * transactions apart from whatever Spring has bound to the thread.
 */
public final class TimeLimitedDataSource extends DelegatingDataSource {

	private static final Logger log = LoggerFactory.getLogger(TimeLimitedDataSource.class);

	private final int millis;

	private volatile boolean unsupported;

	/**
	 * Limits a DataSource.
	 * @param target where the connections come from
	 * @param limit how long to wait for an answer; zero for the driver's own limit
	 */
	public TimeLimitedDataSource(DataSource target, Duration limit) {
		super(target);
		this.millis = (int) Math.min(Integer.MAX_VALUE, limit.toMillis());
	}

	@Override
	public Connection getConnection() throws SQLException {
		Connection connection = super.getConnection();
		if (this.millis == 0 || this.unsupported) {
			return connection;
		}
		try {
			int before = connection.getNetworkTimeout();
			if (before > 0 && before <= this.millis) {
				return connection;
			}
			connection.setNetworkTimeout(Runnable::run, this.millis);
			return restoring(connection, before);
		}
		catch (SQLFeatureNotSupportedException ex) {
			this.unsupported = true;
			log.warn("The driver has no network timeouts, so a server that does not answer can hold up the queue");
			return connection;
		}
		catch (SQLException | RuntimeException ex) {
			connection.close();
			throw ex;
		}
	}

	private static Connection restoring(Connection connection, int before) {
		return (Connection) Proxy.newProxyInstance(TimeLimitedDataSource.class.getClassLoader(),
				new Class<?>[] { Connection.class }, (proxy, method, arguments) -> {
					if (method.getName().equals("close")) {
						restore(connection, before);
					}
					try {
						return method.invoke(connection, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getTargetException();
					}
				});
	}

	private static void restore(Connection connection, int before) {
		try {
			if (!connection.isClosed()) {
				connection.setNetworkTimeout(Runnable::run, before);
			}
		}
		catch (SQLException ex) {
			log.debug("A connection that is broken keeps its network timeout", ex);
		}
	}

}
