package io.jobqueue.test;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLTransientConnectionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * Loses the connection during commits, and during enqueues that commit by themselves, as
 * the driver reports it: the commit may have taken place or not.
 */
public final class LosingCommits extends DelegatingDataSource {

	private final AtomicInteger left = new AtomicInteger();

	private volatile boolean committed;

	private volatile @Nullable Thread thread;

	private volatile boolean server = true;

	/**
	 * Creates a DataSource that loses nothing yet.
	 * @param target where the connections come from
	 */
	public LosingCommits(DataSource target) {
		super(target);
	}

	/**
	 * Loses the next commits of the thread that calls this.
	 * @param commits how many
	 * @param committed whether they take place all the same, and only the answer is lost
	 */
	public void lose(int commits, boolean committed) {
		this.committed = committed;
		this.thread = Thread.currentThread();
		this.left.set(commits);
	}

	@Override
	public Connection getConnection() throws SQLException {
		if (!this.server && this.left.get() <= 0) {
			throw new SQLTransientConnectionException("Connection refused, for a test");
		}
		Connection connection = super.getConnection();
		AtomicBoolean lost = new AtomicBoolean();
		return (Connection) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { Connection.class },
				(proxy, method, arguments) -> {
					if (method.getName().equals("commit") && isLost()) {
						lost.set(true);
						lose(connection);
					}
					if (method.getName().equals("rollback") && lost.get()) {
						// HikariCP's exception, which has neither a state nor a code.
						throw new SQLException("Connection is closed");
					}
					Object result = invoke(connection, method, arguments);
					boolean enqueue = result instanceof PreparedStatement
							&& ((String) arguments[0]).startsWith("INSERT INTO jobqueue_job ");
					return (enqueue && connection.getAutoCommit()) ? losing((PreparedStatement) result) : result;
				});
	}

	/** A statement that commits by itself. */
	private PreparedStatement losing(PreparedStatement statement) {
		return (PreparedStatement) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { PreparedStatement.class }, (proxy, method, arguments) -> {
					boolean lost = method.getName().startsWith("execute") && isLost();
					if (!lost || this.committed) {
						Object result = invoke(statement, method, arguments);
						if (!lost) {
							return result;
						}
					}
					throw lost();
				});
	}

	/**
	 * Has the server gone once a commit is lost.
	 */
	public void loseServerToo() {
		this.server = false;
	}

	private boolean isLost() {
		return Thread.currentThread() == this.thread && this.left.getAndDecrement() > 0;
	}

	private static Object invoke(Object target, Method method, Object[] arguments) throws Throwable {
		try {
			return method.invoke(target, arguments);
		}
		catch (InvocationTargetException ex) {
			throw ex.getTargetException();
		}
	}

	private void lose(Connection connection) throws SQLException {
		if (this.committed) {
			connection.commit();
		}
		else {
			connection.rollback();
		}
		throw lost();
	}

	private static SQLException lost() {
		return new SQLNonTransientConnectionException("Connection lost, for a test", "08S01");
	}

}
