package io.jobqueue.database;

import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

/**
 * The database that the queue lives in: its dialect, its statements, its transactions.
 */
public final class Database {

	/** Longer than a lock is waited for by default (innodb_lock_wait_timeout). */
	private static final Duration NETWORK_TIMEOUT = Duration.ofMinutes(1);

	private final DataSource dataSource;

	private final Dialect dialect;

	/** The same database with statements that stay apart from the caller. */
	private final Database own;

	private final Transactions transactions;

	private final CallersConnection callers;

	private final boolean commitsByItself;

	private final Duration networkTimeout;

	private final NamedParameterJdbcTemplate named;

	private final JdbcClient client;

	private final StatementTexts texts;

	private final PlainReads plainReads;

	/**
	 * Describes a database; connects to it to find its dialect. A server that does not
	 * answer for a minute is given up.
	 * @param dataSource the database
	 */
	public Database(DataSource dataSource) {
		this(dataSource, NETWORK_TIMEOUT);
	}

	/**
	 * Describes a database; connects to it to find its dialect.
	 * @param dataSource the database
	 * @param networkTimeout how long the queue's own transactions and reads wait for an
	 * answer of the server; zero for as long as the driver does
	 */
	public Database(DataSource dataSource, Duration networkTimeout) {
		this.own = this;
		this.dataSource = target(dataSource);
		this.dialect = Dialect.of(this.dataSource);
		JdbcTemplate sql = new JdbcTemplate(this.dataSource);
		boolean autoCommits = sql.execute(Connection::getAutoCommit);
		this.callers = new CallersConnection(this.dataSource, autoCommits);
		this.commitsByItself = autoCommits && this.dialect.isAutoCommitOfServer(sql);
		this.networkTimeout = can(Capability.NETWORK_TIMEOUT) ? networkTimeout : Duration.ZERO;
		DataSource own = new TimeLimitedDataSource(this.dataSource, this.networkTimeout);
		this.transactions = new Transactions(own, this.dialect);
		this.named = new NamedParameterJdbcTemplate(own);
		this.client = JdbcClient.create(this.named);
		this.texts = new StatementTexts(this.dialect);
		this.plainReads = new PlainReads();
	}

	Database(Database database, @Nullable Database own, DataSource statements, Transactions transactions,
			StatementTexts texts) {
		this.own = (own != null) ? own : this;
		this.dataSource = database.dataSource;
		this.dialect = database.dialect;
		this.callers = database.callers;
		this.commitsByItself = database.commitsByItself;
		this.networkTimeout = database.networkTimeout;
		this.transactions = transactions;
		this.named = new NamedParameterJdbcTemplate(statements);
		this.client = JdbcClient.create(this.named);
		this.texts = texts;
		this.plainReads = database.plainReads;
	}

	/**
	 * The queue's own transactions must not be drawn into those of the caller, as a proxy
	 * would do that knows of them.
	 */
	private static DataSource target(DataSource dataSource) {
		return (dataSource instanceof TransactionAwareDataSourceProxy proxy)
				? Objects.requireNonNull(proxy.getTargetDataSource()) : dataSource;
	}

	/**
	 * The same database, but its statements run in the transaction that the caller has
	 * open on it, if there is one. Those of this one never do.
	 */
	public Database ofCaller() {
		return new Database(this, this, this.dataSource, this.transactions, this.texts);
	}

	/**
	 * The same database, but its statements and transactions all go over one connection,
	 * which must have no transaction open.
	 */
	public Database on(Connection connection) {
		DataSource single = new SingleConnectionDataSource(connection, true);
		return new Database(this, null, single, new Transactions(single, this.dialect), this.texts);
	}

	/**
	 * Whether its clock is that of the columns' defaults. Tests have clocks of their own.
	 */
	public boolean hasClockOfTables() {
		return this.texts.areByClockOfDatabase();
	}

	StatementTexts texts() {
		return this.texts;
	}

	/**
	 * What is known of the caller's connection to this database.
	 */
	public CallersConnection callers() {
		return this.callers;
	}

	/**
	 * The same database with statements that never run in the caller's transaction.
	 */
	public Database own() {
		return this.own;
	}

	public Dialect dialect() {
		return this.dialect;
	}

	public boolean can(Capability capability) {
		return this.dialect.can(capability);
	}

	/**
	 * How long the queue waits for an answer of the server.
	 * @return zero for as long as the driver does
	 */
	public Duration networkTimeout() {
		return this.networkTimeout;
	}

	/**
	 * The DataSource that the queue lives in.
	 */
	public DataSource dataSource() {
		return this.dataSource;
	}

	/**
	 * Whether statements outside of a transaction commit by themselves, as the driver and
	 * the server say.
	 */
	public boolean commitsByItself() {
		return this.commitsByItself;
	}

	public Transactions transactions() {
		return this.transactions;
	}

	/**
	 * Reads something of which an old state does no harm: in one round trip, unless
	 * {@linkplain PlainReads plain reads} are known to be late.
	 * @param <T> what it returns
	 * @param work the read
	 * @return what it returned
	 */
	public <T> T read(Supplier<T> work) {
		return this.plainReads.areLate() ? this.transactions.run(work) : work.get();
	}

	/**
	 * Reads again, where the writes go, what a read after a write has not shown in full.
	 * @param <T> what it reads
	 * @param before what the first read has shown
	 * @param read the read
	 */
	public <T> List<T> readAgain(List<T> before, Supplier<List<T>> read) {
		List<T> again = this.transactions.run(read);
		if (again.size() > before.size()) {
			this.plainReads.seenLate();
		}
		return again;
	}

	public PlainReads plainReads() {
		return this.plainReads;
	}

	/**
	 * Prepares one of the queue's constant statements.
	 * @param statement the statement, with fragments in braces
	 * @return the statement to bind and run
	 */
	public JdbcClient.StatementSpec sql(String statement) {
		return this.client.sql(constant(statement));
	}

	/**
	 * Prepares one of the queue's constant statements all of whose values are numbers.
	 * @param statement the statement, with fragments in braces
	 * @return the statement to complete and run
	 */
	public NumberStatement numbers(String statement) {
		return new NumberStatement(template(), constant(statement));
	}

	NamedParameterJdbcTemplate named() {
		return this.named;
	}

	public JdbcTemplate template() {
		return this.named.getJdbcTemplate();
	}

	/**
	 * Completes a statement that is written anew each time.
	 * @param statement the statement, with fragments in braces
	 */
	public String expand(String statement) {
		return this.texts.expand(statement);
	}

	public String constant(String statement) {
		return this.texts.constant(statement);
	}

}
