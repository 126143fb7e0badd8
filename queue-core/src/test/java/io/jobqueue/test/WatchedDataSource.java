package io.jobqueue.test;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import javax.sql.DataSource;

import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * Lets a test look into a transaction: keeps the statements that were run and their
 * parameters, and calls the test just before each commit, while every lock is still held.
 */
public final class WatchedDataSource extends DelegatingDataSource {

	private final List<Executed> executed = new CopyOnWriteArrayList<>();

	private final AtomicInteger commits = new AtomicInteger();

	private volatile BeforeCommit beforeCommit = (connection) -> {
	};

	private volatile Runnable beforeBegin = () -> {
	};

	private volatile Runnable afterRollback = () -> {
	};

	private volatile Consumer<String> beforePlainStatement = (sql) -> {
	};

	/**
	 * Watches a DataSource.
	 * @param target where the connections come from
	 */
	public WatchedDataSource(DataSource target) {
		super(target);
	}

	/**
	 * Sets what happens just before each commit.
	 * @param beforeCommit what to do, on the thread that commits
	 */
	public void beforeCommit(BeforeCommit beforeCommit) {
		this.beforeCommit = beforeCommit;
	}

	/**
	 * Sets what happens just before each transaction begins.
	 * @param beforeBegin what to do, on the thread that begins it
	 */
	public void beforeBegin(Runnable beforeBegin) {
		this.beforeBegin = beforeBegin;
	}

	/**
	 * Sets what happens just after each rollback of a whole transaction.
	 * @param afterRollback what to do, on the thread that has rolled back
	 */
	public void afterRollback(Runnable afterRollback) {
		this.afterRollback = afterRollback;
	}

	/**
	 * Sets what happens just before each statement that is not prepared.
	 * @param beforePlainStatement what to do; may throw
	 */
	public void beforePlainStatement(Consumer<String> beforePlainStatement) {
		this.beforePlainStatement = beforePlainStatement;
	}

	/**
	 * The statements that were run up to now.
	 * @return the statements, in order
	 */
	public List<Executed> executed() {
		return List.copyOf(this.executed);
	}

	/**
	 * How many transactions were committed up to now, beside statements that commit by
	 * themselves.
	 * @return the number
	 */
	public int commits() {
		return this.commits.get();
	}

	@Override
	public Connection getConnection() throws SQLException {
		return watched(super.getConnection());
	}

	private Connection watched(Connection target) {
		return proxy(Connection.class, (proxy, method, arguments) -> {
			if (method.getName().equals("commit")) {
				this.commits.incrementAndGet();
				this.beforeCommit.call(target);
			}
			if (method.getName().equals("setAutoCommit") && Boolean.FALSE.equals(arguments[0])) {
				this.beforeBegin.run();
			}
			Object result = invoke(target, method, arguments);
			if (method.getName().equals("rollback") && arguments == null) {
				this.afterRollback.run();
			}
			if (result instanceof PreparedStatement statement) {
				return watched(statement, (String) arguments[0]);
			}
			if (result instanceof Statement statement) {
				return watched(statement);
			}
			return result;
		});
	}

	private Statement watched(Statement target) {
		return proxy(Statement.class, (proxy, method, arguments) -> {
			if (method.getName().startsWith("execute") && arguments != null) {
				this.beforePlainStatement.accept((String) arguments[0]);
				this.executed.add(new Executed((String) arguments[0], Map.of()));
			}
			return invoke(target, method, arguments);
		});
	}

	private PreparedStatement watched(PreparedStatement target, String sql) {
		Map<Integer, Object> parameters = new TreeMap<>();
		return proxy(PreparedStatement.class, (proxy, method, arguments) -> {
			String name = method.getName();
			if (name.equals("setNull")) {
				parameters.put((Integer) arguments[0], null);
			}
			else if (name.startsWith("set") && arguments.length > 1 && arguments[0] instanceof Integer index) {
				parameters.put(index, arguments[1]);
			}
			else if (name.startsWith("execute") || name.equals("addBatch")) {
				this.executed.add(new Executed(sql, new TreeMap<>(parameters)));
			}
			return invoke(target, method, arguments);
		});
	}

	private static Object invoke(Object target, Method method, Object[] arguments) throws Throwable {
		try {
			return method.invoke(target, arguments);
		}
		catch (InvocationTargetException ex) {
			throw ex.getTargetException();
		}
	}

	private static <T> T proxy(Class<T> type, InvocationHandler handler) {
		return type
			.cast(Proxy.newProxyInstance(WatchedDataSource.class.getClassLoader(), new Class<?>[] { type }, handler));
	}

	/**
	 * What a test does while a transaction is about to commit.
	 */
	public interface BeforeCommit {

		/**
		 * Looks at the transaction.
		 * @param connection its connection, the driver's or the pool's own
		 * @throws SQLException if that fails
		 */
		void call(Connection connection) throws SQLException;

	}

	/**
	 * A statement that was run.
	 *
	 * @param sql its text, with question marks where it has parameters
	 * @param parameters its parameters by position, from 1
	 */
	public record Executed(String sql, Map<Integer, Object> parameters) {

		/**
		 * Prepares the statement again, with something in front.
		 * @param connection where
		 * @param prefix what to put in front, as {@code EXPLAIN}
		 * @return the statement, to be run and closed
		 * @throws SQLException if that fails
		 */
		public PreparedStatement prepare(Connection connection, String prefix) throws SQLException {
			PreparedStatement statement = connection.prepareStatement(prefix + this.sql);
			for (Map.Entry<Integer, Object> parameter : this.parameters.entrySet()) {
				statement.setObject(parameter.getKey(), parameter.getValue());
			}
			return statement;
		}

	}

}
