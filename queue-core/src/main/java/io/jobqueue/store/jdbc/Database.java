package io.jobqueue.store.jdbc;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import javax.sql.DataSource;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;

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
