package io.jobqueue.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A server of this machine whose root has no password, and what can be asked of it.
 */
public abstract class LocalServer {

	static final String PARAMETERS = "allowPublicKeyRetrieval=true&sslMode=DISABLED";

	private static final String USER = "root";

	/** The database goes with the server, which may be in no state to drop it. */
	private static final String NOTHING = "DO 0";

	/** Nobody listens yet at a port that somebody else was given a moment ago. */
	private static final Set<Integer> GIVEN = ConcurrentHashMap.newKeySet();

	private final int port = freePort();

	boolean answers() {
		try (Connection connection = open()) {
			return connection.isValid(5);
		}
		catch (SQLException ex) {
			return false;
		}
	}

	private Connection open() throws SQLException {
		return DriverManager.getConnection(url() + "?" + PARAMETERS, USER, "");
	}

	/**
	 * Runs statements, as root.
	 * @param statements the statements
	 */
	public void execute(String... statements) {
		try (Connection connection = open(); Statement statement = connection.createStatement()) {
			for (String sql : statements) {
				statement.execute(sql);
			}
		}
		catch (SQLException ex) {
			throw new IllegalStateException(String.join("; ", statements), ex);
		}
	}

	/**
	 * Asks the server something, as root.
	 * @param query a query with one row
	 * @param column which column of that row, from 1
	 * @return what is there
	 */
	public String query(String query, int column) {
		try (Connection connection = open();
				Statement statement = connection.createStatement();
				ResultSet rows = statement.executeQuery(query)) {
			rows.next();
			return String.valueOf(rows.getString(column));
		}
		catch (SQLException ex) {
			throw new IllegalStateException(query, ex);
		}
	}

	/**
	 * Where the server listens.
	 * @return a JDBC URL without a database
	 */
	public String url() {
		return "jdbc:mysql://127.0.0.1:" + this.port + "/";
	}

	/**
	 * Where the server listens.
	 * @return the port
	 */
	public int port() {
		return this.port;
	}

	/**
	 * Makes a database with the queue's tables.
	 * @return the database
	 */
	public TestSchema createSchema() {
		execute("CREATE DATABASE jobs");
		return schemaAt(url()).withTables();
	}

	/**
	 * Where the database is that {@link #createSchema()} has made.
	 * @return its JDBC URL
	 */
	public String schemaUrl() {
		return url() + "jobs?" + PARAMETERS;
	}

	/**
	 * The database that {@link #createSchema()} has made, by another way.
	 * @param url a JDBC URL without a database that leads to the server
	 * @return the database
	 */
	public TestSchema schemaAt(String url) {
		return new TestSchema(url + "jobs?" + PARAMETERS, USER, "", NOTHING);
	}

	/**
	 * Finds a port for a server.
	 * @return a port that nobody listens at, and that was not given to anybody before
	 */
	public static int freePort() {
		int port;
		do {
			try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
				port = socket.getLocalPort();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}
		while (!GIVEN.add(port));
		return port;
	}

}
