package io.jobqueue.benchmark;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;

import org.springframework.jdbc.core.JdbcTemplate;

/**
 * The server that all systems run on, and what it says of itself.
 */
public final class Server implements AutoCloseable {

	private static final List<String> SETTINGS = List.of("version", "sync_binlog", "innodb_flush_log_at_trx_commit",
			"innodb_buffer_pool_size", "log_bin", "innodb_doublewrite");

	private static final Duration LONGEST_OPENING = Duration.ofSeconds(30);

	private static final Duration LONGEST_SETTLING = Duration.ofMinutes(1);

	/** Dirty pages, or transactions to purge, of a server that has little left to do. */
	private static final int FEW = 1_000;

	private static final List<String> METRICS = List.of("trx_rw_commits", "lock_rec_lock_created");

	private final Options options;

	private final HikariDataSource admin;

	private final JdbcTemplate sql;

	private final Map<String, Long> binaryLogs = new HashMap<>();

	Server(Options options) {
		this.options = options;
		this.admin = pool("createDatabaseIfNotExist=true", 2);
		this.sql = new JdbcTemplate(this.admin);
		for (String metric : METRICS) {
			this.sql.execute("SET GLOBAL innodb_monitor_enable = '" + metric + "'");
		}
	}

	/**
	 * Opens a pool of connections, and waits for all of them: what it costs to open them
	 * would else be counted in the first seconds of a run.
	 * @param parameters the URL's parameters; may be empty
	 * @param size how many connections
	 * @return the pool, to be closed by the caller
	 */
	public HikariDataSource pool(String parameters, int size) {
		HikariConfig config = new HikariConfig();
		config.setJdbcUrl(withParameters(this.options.jdbcUrl(), parameters));
		config.setUsername(this.options.user());
		config.setPassword(this.options.password());
		config.setMaximumPoolSize(size);
		HikariDataSource pool = new HikariDataSource(config);
		awaitConnections(pool, size);
		return pool;
	}

	static String withParameters(String url, String parameters) {
		String separator = url.contains("?") ? "&" : "?";
		return parameters.isEmpty() ? url : url + separator + parameters;
	}

	private static void awaitConnections(HikariDataSource pool, int size) {
		long start = System.nanoTime();
		while (pool.getHikariPoolMXBean().getTotalConnections() < size) {
			if (System.nanoTime() - start > LONGEST_OPENING.toNanos()) {
				int opened = pool.getHikariPoolMXBean().getTotalConnections();
				pool.close();
				throw new IllegalStateException("Only " + opened + " of " + size + " connections could be opened");
			}
			LockSupport.parkNanos(10_000_000);
		}
	}

	/**
	 * What tells another process of the benchmark where the server is.
	 * @return arguments of its command line
	 */
	public List<String> asArguments() {
		return List.of("--jdbc-url", this.options.jdbcUrl(), "--user", this.options.user(), "--password",
				this.options.password());
	}

	/**
	 * Makes the database empty.
	 */
	public void clear() {
		String database = this.sql.queryForObject("SELECT DATABASE()", String.class);
		this.sql.execute("DROP DATABASE `" + database + "`");
		this.sql.execute("CREATE DATABASE `" + database + "`");
		this.admin.getHikariPoolMXBean().softEvictConnections();
	}

	/**
	 * Runs a statement on the server.
	 * @return to run it with
	 */
	public JdbcTemplate sql() {
		return this.sql;
	}

	/**
	 * How many transactions have left old versions of rows that are not purged.
	 * @return the length of the history list
	 */
	public long historyLength() {
		return metric("trx_rseg_history_len");
	}

	/**
	 * Waits until what was written before is flushed and purged, so that the next run
	 * does not pay for it; a minute at most.
	 * @throws InterruptedException if the thread is interrupted
	 */
	public void settle() throws InterruptedException {
		long start = System.nanoTime();
		while (status("Innodb_buffer_pool_pages_dirty") > FEW || historyLength() > FEW) {
			if (System.nanoTime() - start > LONGEST_SETTLING.toNanos()) {
				return;
			}
			Thread.sleep(1_000);
		}
	}

	/**
	 * What decides how comparable two runs are.
	 * @return the server's version and durability
	 */
	Map<String, String> settings() {
		Map<String, String> settings = new TreeMap<>();
		for (String name : SETTINGS) {
			settings.put(name, this.sql.queryForObject("SELECT @@GLOBAL." + name, String.class));
		}
		return settings;
	}

	Cost cost() {
		return new Cost(metric("trx_rw_commits"), status("Questions"), status("Innodb_os_log_written"), binlogBytes(),
				metric("lock_rec_lock_created"), status("Innodb_buffer_pool_read_requests"), rowsRead(), clientNanos());
	}

	private long rowsRead() {
		return this.sql.query("SHOW GLOBAL STATUS LIKE 'Handler_read%'", (row, number) -> row.getLong(2))
			.stream()
			.mapToLong(Long::longValue)
			.sum();
	}

	private static long clientNanos() {
		return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
			.getProcessCpuTime();
	}

	private long status(String name) {
		return this.sql.query("SHOW GLOBAL STATUS LIKE '" + name + "'", (row, number) -> row.getLong(2)).get(0);
	}

	private long metric(String name) {
		return this.sql.queryForObject("SELECT COUNT FROM information_schema.INNODB_METRICS WHERE NAME = ?", Long.class,
				name);
	}

	private long binlogBytes() {
		if (!"1".equals(settings().get("log_bin"))) {
			return 0;
		}
		// Those that the server has removed since are counted as they were seen last.
		this.sql.query("SHOW BINARY LOGS", (row) -> {
			this.binaryLogs.put(row.getString(1), row.getLong(2));
		});
		return this.binaryLogs.values().stream().mapToLong(Long::longValue).sum();
	}

	@Override
	public void close() {
		this.admin.close();
	}

}
