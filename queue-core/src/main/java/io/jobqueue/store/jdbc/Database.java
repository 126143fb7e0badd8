package io.jobqueue.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import javax.sql.DataSource;

import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The database that the queue lives in: its dialect, its statements, its transactions.
 */
public final class Database {

	private final DataSource dataSource;

	private final Dialect dialect;

	private final JdbcTemplate template;

	private final NamedParameterJdbcTemplate named;

	private final JdbcClient client;

	private final Transactions transactions;

	private final Map<String, String> expanded = new ConcurrentHashMap<>();

	/**
	 * Describes a database; connects to it to find its dialect.
	 * @param dataSource the database
	 */
	public Database(DataSource dataSource) {
		this.dataSource = dataSource;
		this.dialect = Dialect.of(dataSource);
		this.template = new JdbcTemplate(dataSource);
		this.named = new NamedParameterJdbcTemplate(this.template);
		this.client = JdbcClient.create(this.named);
		this.transactions = new Transactions(dataSource, this.dialect);
	}

	/**
	 * The dialect.
	 * @return the dialect
	 */
	public Dialect dialect() {
		return this.dialect;
	}

	/**
	 * How often a transaction of the queue's own was repeated after a deadlock or
	 * lock-wait timeout.
	 * @return the count since the start
	 */
	public long conflicts() {
		return this.transactions.conflicts();
	}

	/**
	 * The DataSource that the queue lives in.
	 * @return the DataSource
	 */
	public DataSource dataSource() {
		return this.dataSource;
	}

	/**
	 * Whether the caller has a transaction open on this database. That its connection is
	 * bound to the thread is not enough: Spring binds it for a mere read, too, within a
	 * transaction of another DataSource, and then commits each statement by itself.
	 */
	boolean inCallersTransaction() {
		if (!TransactionSynchronizationManager.isActualTransactionActive()
				|| !TransactionSynchronizationManager.hasResource(this.dataSource)) {
			return false;
		}
		Connection connection = DataSourceUtils.getConnection(this.dataSource);
		try {
			return !connection.getAutoCommit();
		}
		catch (SQLException ex) {
			throw new UncategorizedSQLException("Looking for a transaction", null, ex);
		}
		finally {
			DataSourceUtils.releaseConnection(connection, this.dataSource);
		}
	}

	/**
	 * Whether each statement of the caller's transaction sees what others have committed
	 * by then.
	 */
	boolean isReadCommitted() {
		Connection connection = DataSourceUtils.getConnection(this.dataSource);
		try {
			return connection.getTransactionIsolation() <= Connection.TRANSACTION_READ_COMMITTED;
		}
		catch (SQLException ex) {
			throw new UncategorizedSQLException("Looking at a transaction", null, ex);
		}
		finally {
			DataSourceUtils.releaseConnection(connection, this.dataSource);
		}
	}

	Transactions transactions() {
		return this.transactions;
	}

	/**
	 * Prepares one of the queue's constant statements.
	 * @param statement the statement, with fragments in braces
	 * @return the statement to bind and run
	 */
	JdbcClient.StatementSpec sql(String statement) {
		return this.client.sql(constant(statement));
	}

	NamedParameterJdbcTemplate named() {
		return this.named;
	}

	JdbcTemplate template() {
		return this.template;
	}

	String constant(String statement) {
		return this.expanded.computeIfAbsent(statement, this.dialect::expand);
	}

}
