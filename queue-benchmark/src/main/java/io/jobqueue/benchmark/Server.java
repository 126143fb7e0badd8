package io.jobqueue.benchmark;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;

import org.springframework.jdbc.core.JdbcTemplate;

/**
 * The server that all systems run on, and what it says of itself.
 */
public final class Server implements AutoCloseable {

	private static final List<String> SETTINGS = List.of("version", "sync_binlog", "innodb_flush_log_at_trx_commit",
			"innodb_buffer_pool_size", "log_bin", "innodb_doublewrite");

	private static final List<String> METRICS = List.of("trx_rw_commits", "lock_rec_lock_created");

	private final Options options;

	private final HikariDataSource admin;

	private final JdbcTemplate sql;

	Server(Options options) {
		this.options = options;
		this.admin = pool("createDatabaseIfNotExist=true", 2);
		this.sql = new JdbcTemplate(this.admin);
		for (String metric : METRICS) {
			this.sql.execute("SET GLOBAL innodb_monitor_enable = '" + metric + "'");
		}
	}

	/**
	 * Opens a pool of connections.
	 * @param parameters the URL's parameters; may be empty
	 * @param size how many connections
	 * @return the pool, to be closed by the caller
	 */
	public HikariDataSource pool(String parameters, int size) {
		HikariConfig config = new HikariConfig();
		config.setJdbcUrl(this.options.jdbcUrl() + (parameters.isEmpty() ? "" : "?" + parameters));
		config.setUsername(this.options.user());
		config.setPassword(this.options.password());
		config.setMaximumPoolSize(size);
		return new HikariDataSource(config);
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
				metric("lock_rec_lock_created"), status("Innodb_buffer_pool_read_requests"));
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
		return this.sql.query("SHOW BINARY LOGS", (row, number) -> row.getLong(2))
			.stream()
			.mapToLong(Long::longValue)
			.sum();
	}

	@Override
	public void close() {
		this.admin.close();
	}

}
