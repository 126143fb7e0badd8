package io.jobqueue.test;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.jobqueue.database.Dialect;

import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

/**
 * A database of a test's own, dropped when it is closed.
 */
public final class TestSchema implements AutoCloseable {

	private static final int POOL = 20;

	private final String url;

	private final String username;

	private final String password;

	private final String drop;

	private final List<HikariDataSource> pools = new ArrayList<>();

	private final HikariDataSource dataSource;

	TestSchema(String url, String username, String password, String drop) {
		this.url = url;
		this.username = username;
		this.password = password;
		this.drop = drop;
		this.dataSource = pool("");
	}

	private HikariDataSource open(String url, Consumer<HikariConfig> settings) {
		HikariConfig config = new HikariConfig();
		config.setJdbcUrl(url);
		config.setUsername(this.username);
		config.setPassword(this.password);
		config.setMaximumPoolSize(POOL);
		config.setMinimumIdle(1);
		settings.accept(config);
		HikariDataSource pool = new HikariDataSource(config);
		this.pools.add(pool);
		return pool;
	}

	/**
	 * Opens another pool to the same database.
	 * @param urlParameters what to add to the URL, such as
	 * {@code useAffectedRows=true&…}; may be empty
	 * @return the pool, closed with the schema
	 */
	public HikariDataSource pool(String urlParameters) {
		String separator = this.url.contains("?") ? "&" : "?";
		return open(urlParameters.isEmpty() ? this.url : this.url + separator + urlParameters, (config) -> {
		});
	}

	/**
	 * Opens another pool to the same database.
	 * @param settings changes the pool's settings
	 * @return the pool, closed with the schema
	 */
	public HikariDataSource pool(Consumer<HikariConfig> settings) {
		return open(this.url, settings);
	}

	/**
	 * Opens another pool to the same database, which must speak MySQL's protocol.
	 * @param driver the driver to use
	 * @param urlParameters what to add to the URL; may be empty
	 * @return the pool, closed with the schema
	 */
	public HikariDataSource pool(TestDatabase.Driver driver, String urlParameters) {
		if (driver == TestDatabase.Driver.CONNECTOR_J) {
			return pool(urlParameters);
		}
		String address = this.url.substring(0, this.url.indexOf('?')).replace("jdbc:mysql:", "jdbc:mariadb:");
		String url = address + "?allowPublicKeyRetrieval=true&sslMode=disable";
		return open(urlParameters.isEmpty() ? url : url + "&" + urlParameters, (config) -> {
		});
	}

	/**
	 * Opens a connection that no pool knows of.
	 * @return the connection, to be closed by the caller
	 */
	public Connection connect() {
		try {
			return DriverManager.getConnection(this.url, this.username, this.password);
		}
		catch (SQLException ex) {
			throw new IllegalStateException("Cannot connect to " + this.url, ex);
		}
	}

	TestSchema withTables() {
		// Flyway does more than a test needs, and takes its time.
		Resource tables = new ClassPathResource(Dialect.of(this.dataSource).schemaFolder() + "/V1__job_queue.sql");
		new ResourceDatabasePopulator(tables).execute(this.dataSource);
		return this;
	}

	/**
	 * A pool of connections with the driver's defaults.
	 * @return the pool, closed with the schema
	 */
	public HikariDataSource dataSource() {
		return this.dataSource;
	}

	/**
	 * Where the database is.
	 * @return the JDBC URL
	 */
	public String jdbcUrl() {
		return this.url;
	}

	/**
	 * Whose database it is.
	 * @return the user's name
	 */
	public String username() {
		return this.username;
	}

	/**
	 * The user's password.
	 * @return the password; may be empty
	 */
	public String password() {
		return this.password;
	}

	/** Closes the connections, and leaves the database. */
	public void closePools() {
		this.pools.forEach(HikariDataSource::close);
	}

	@Override
	public void close() {
		// A connection that a failed test has left in a transaction would keep the drop
		// waiting.
		closePools();
		try (Connection connection = connect(); Statement statement = connection.createStatement()) {
			statement.execute(this.drop);
		}
		catch (SQLException ex) {
			throw new IllegalStateException(this.drop, ex);
		}
	}

}
