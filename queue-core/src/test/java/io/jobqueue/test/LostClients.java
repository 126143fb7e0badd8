package io.jobqueue.test;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.util.concurrent.atomic.AtomicBoolean;

import javax.sql.DataSource;

import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * Loses connections on the client's side only: the server does not know it, and keeps
 * what they have locked.
 */
public final class LostClients extends DelegatingDataSource {

	private final ThreadLocal<AtomicBoolean> ofThread = new ThreadLocal<>();

	/**
	 * Creates a DataSource that loses nothing yet.
	 * @param target where the connections come from
	 */
	public LostClients(DataSource target) {
		super(target);
	}

	/**
	 * Loses the connection that the calling thread has got last.
	 */
	public void lose() {
		this.ofThread.get().set(true);
	}

	@Override
	public Connection getConnection() throws SQLException {
		Connection connection = super.getConnection();
		AtomicBoolean lost = new AtomicBoolean();
		this.ofThread.set(lost);
		return (Connection) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { Connection.class },
				(proxy, method, arguments) -> {
					if (!lost.get()) {
						try {
							return method.invoke(connection, arguments);
						}
						catch (InvocationTargetException ex) {
							throw ex.getTargetException();
						}
					}
					if (method.getName().equals("close") || method.getName().equals("abort")) {
						return null;
					}
					throw new SQLNonTransientConnectionException("Connection lost, for a test", "08S01");
				});
	}

}
