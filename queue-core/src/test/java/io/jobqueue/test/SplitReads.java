package io.jobqueue.test;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

import javax.sql.DataSource;

import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * Sends reads outside of transactions to another database, as proxies do that split reads
 * from writes.
 */
public final class SplitReads extends DelegatingDataSource {

	private final DataSource copy;

	private final AtomicInteger split = new AtomicInteger();

	private volatile Predicate<String> late = (sql) -> true;

	/**
	 * Splits reads from writes.
	 * @param writes where everything goes but reads outside of transactions
	 * @param copy where those go
	 */
	public SplitReads(DataSource writes, DataSource copy) {
		super(writes);
		this.copy = copy;
	}

	/**
	 * Lets the copy be late for some reads only, as if it had just begun to be.
	 * @param late which statements read what is missing in the copy
	 */
	public void late(Predicate<String> late) {
		this.late = late;
	}

	/**
	 * How many reads went to the copy.
	 * @return the number up to now
	 */
	public int split() {
		return this.split.get();
	}

	@Override
	public Connection getConnection() throws SQLException {
		Connection writes = super.getConnection();
		Connection reads;
		try {
			reads = this.copy.getConnection();
		}
		catch (SQLException ex) {
			writes.close();
			throw ex;
		}
		return (Connection) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { Connection.class },
				(proxy, method, arguments) -> {
					if (method.getName().equals("close") || method.getName().equals("abort")) {
						reads.close();
					}
					if (method.getName().equals("prepareStatement") && isSplit(writes, (String) arguments[0])) {
						return call(reads, method, arguments);
					}
					if (method.getName().equals("createStatement")) {
						return split(writes, (Statement) call(writes, method, arguments),
								(Statement) call(reads, method, arguments));
					}
					return call(writes, method, arguments);
				});
	}

	private Statement split(Connection connection, Statement writes, Statement reads) {
		return (Statement) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { Statement.class },
				(proxy, method, arguments) -> {
					boolean sql = method.getName().startsWith("execute") && arguments != null
							&& arguments[0] instanceof String;
					if (method.getName().equals("close")) {
						reads.close();
					}
					return call((sql && isSplit(connection, (String) arguments[0])) ? reads : writes, method,
							arguments);
				});
	}

	private boolean isSplit(Connection connection, String sql) throws SQLException {
		boolean read = connection.getAutoCommit() && sql.stripLeading().toUpperCase(Locale.ROOT).startsWith("SELECT")
				&& this.late.test(sql);
		if (read) {
			this.split.incrementAndGet();
		}
		return read;
	}

	private static Object call(Object target, Method method, Object[] arguments) throws Throwable {
		try {
			return method.invoke(target, arguments);
		}
		catch (InvocationTargetException ex) {
			throw ex.getTargetException();
		}
	}

}
