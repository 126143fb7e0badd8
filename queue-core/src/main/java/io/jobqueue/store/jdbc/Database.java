package io.jobqueue.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.support.TransactionSynchronizationManager;

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

	private final boolean autoCommits;

	private final boolean commitsByItself;

	private final NamedParameterJdbcTemplate named;

	private final JdbcClient client;

	private final Map<String, String> expanded;

	/** Shared by all views of the database. */
	private final AtomicBoolean readsInTransactions;

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
		this.autoCommits = sql.execute(Connection::getAutoCommit);
		this.commitsByItself = this.autoCommits && (!can(Capability.AUTOCOMMIT_OF_SERVER) || isAutoCommitOfServer(sql));
		DataSource own = new TimeLimitedDataSource(this.dataSource,
				can(Capability.NETWORK_TIMEOUT) ? networkTimeout : Duration.ZERO);
		this.transactions = new Transactions(own, this.dialect);
		this.named = new NamedParameterJdbcTemplate(own);
		this.client = JdbcClient.create(this.named);
		this.expanded = new ConcurrentHashMap<>();
		this.readsInTransactions = new AtomicBoolean();
	}

	private Database(Database database, @Nullable Database own, DataSource statements, Transactions transactions) {
		this.own = (own != null) ? own : this;
		this.dataSource = database.dataSource;
		this.dialect = database.dialect;
		this.autoCommits = database.autoCommits;
		this.commitsByItself = database.commitsByItself;
		this.transactions = transactions;
		this.named = new NamedParameterJdbcTemplate(statements);
		this.client = JdbcClient.create(this.named);
		this.expanded = database.expanded;
		this.readsInTransactions = database.readsInTransactions;
	}

	/**
	 * The queue's own transactions must not be drawn into those of the caller, as a proxy
	 * would do that knows of them.
	 */
	private static DataSource target(DataSource dataSource) {
		DataSource target = (dataSource instanceof TransactionAwareDataSourceProxy proxy) ? proxy.getTargetDataSource()
				: dataSource;
		return Objects.requireNonNull(target);
	}

	/**
	 * The same database, but its statements run in the transaction that the caller has
	 * open on it, if there is one. Those of this one never do.
	 */
	Database ofCaller() {
		return new Database(this, this, this.dataSource, this.transactions);
	}

	/**
	 * The same database, but its statements and transactions all go over one connection,
	 * which must have no transaction open.
	 */
	Database on(Connection connection) {
		DataSource single = new SingleConnectionDataSource(connection, true);
		return new Database(this, null, single, new Transactions(single, this.dialect));
	}

	/**
	 * Ends what is open on a connection whose transaction is over.
	 */
	void commitWhatIsOpen(Connection connection) {
		try {
			if (!connection.getAutoCommit()) {
				connection.commit();
			}
		}
		catch (SQLException ex) {
			throw new UncategorizedSQLException("Ending what is open on a connection", null, ex);
		}
	}

	/**
	 * The connection that Spring has bound to this thread for the caller.
	 * @return the connection, or null if there is none
	 */
	@Nullable Connection boundConnection() {
		return (TransactionSynchronizationManager.getResource(this.dataSource) instanceof ConnectionHolder holder)
				? holder.getConnection() : null;
	}

	/**
	 * The same database with statements that never run in the caller's transaction.
	 */
	Database own() {
		return this.own;
	}

	/**
	 * The dialect.
	 * @return the dialect
	 */
	public Dialect dialect() {
		return this.dialect;
	}

	boolean can(Capability capability) {
		return this.dialect.can(capability);
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
	 * A driver may take for granted what the server's or the URL's settings have changed
	 * (useLocalSessionState with autocommit=0).
	 */
	private static boolean isAutoCommitOfServer(JdbcTemplate sql) {
		Integer value = sql.queryForObject("SELECT @@autocommit", Integer.class);
		return value != null && value == 1;
	}

	/**
	 * Whether statements outside of a transaction commit by themselves, as the driver and
	 * the server say.
	 */
	boolean commitsByItself() {
		return this.commitsByItself;
	}

	/**
	 * Whether the caller has a transaction open on this database. That its connection is
	 * bound to the thread is not enough: Spring binds it for a mere read, too, within a
	 * transaction of another DataSource.
	 */
	boolean inCallersTransaction() {
		if (!TransactionSynchronizationManager.isActualTransactionActive()) {
			return false;
		}
		if (!(TransactionSynchronizationManager.getResource(this.dataSource) instanceof ConnectionHolder holder)) {
			return false;
		}
		if (!holder.isSynchronizedWithTransaction()) {
			// Bound by JPA's transaction manager.
			return true;
		}
		if (SpringsView.isOpenOn(this.dataSource)) {
			return true;
		}
		// JTA's connections do not commit by themselves, whatever the pool's others do.
		return this.autoCommits && !isAutoCommit();
	}

	private boolean isAutoCommit() {
		Connection connection = DataSourceUtils.getConnection(this.dataSource);
		try {
			return connection.getAutoCommit();
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
	 * Reads something of which an old state does no harm. One round trip, unless reads
	 * have been seen to come from another server than the one that is written to: a
	 * transaction runs where the writes do.
	 * @param <T> what it returns
	 * @param work the read
	 * @return what it returned
	 */
	<T> T read(Supplier<T> work) {
		return this.readsInTransactions.get() ? this.transactions.run(work) : work.get();
	}

	/**
	 * Lets {@link #read} use transactions from now on.
	 * @return whether it did not do so before
	 */
	boolean readInTransactions() {
		return this.readsInTransactions.compareAndSet(false, true);
	}

	/**
	 * Prepares one of the queue's constant statements.
	 * @param statement the statement, with fragments in braces
	 * @return the statement to bind and run
	 */
	JdbcClient.StatementSpec sql(String statement) {
		return this.client.sql(constant(statement));
	}

	/**
	 * Prepares one of the queue's constant statements all of whose values are numbers.
	 * @param statement the statement, with fragments in braces
	 * @return the statement to complete and run
	 */
	NumberStatement numbers(String statement) {
		return new NumberStatement(template(), constant(statement));
	}

	NamedParameterJdbcTemplate named() {
		return this.named;
	}

	JdbcTemplate template() {
		return this.named.getJdbcTemplate();
	}

	/**
	 * Completes a statement that is written anew each time.
	 * @param statement the statement, with fragments in braces
	 */
	String expand(String statement) {
		return this.dialect.expand(statement);
	}

	String constant(String statement) {
		return this.expanded.computeIfAbsent(statement, this.dialect::expand);
	}

	/**
	 * Asks Spring's own transaction manager, which alone knows, whether it has begun a
	 * transaction.
	 */
	private static final class SpringsView extends DataSourceTransactionManager {

		private SpringsView(DataSource dataSource) {
			super(dataSource);
		}

		static boolean isOpenOn(DataSource dataSource) {
			SpringsView manager = new SpringsView(dataSource);
			return manager.isExistingTransaction(manager.doGetTransaction());
		}

	}

}
