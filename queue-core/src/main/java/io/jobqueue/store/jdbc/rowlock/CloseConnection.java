package io.jobqueue.store.jdbc.rowlock;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

import io.jobqueue.database.Database;
import io.jobqueue.database.KeptConnection;

/**
 * Closes the connection of a worker that is gone, by the server's number of it, so that
 * the rows are free that it has locked. No other connection is ever to be closed: numbers
 * start anew with the server, and behind a proxy they may be those of another one. So it
 * closes only what has been there for as long as the job runs, and belongs to the same
 * user and schema.
 */
final class CloseConnection {

	private static final Duration ANSWER = Duration.ofSeconds(5);

	private static final String LIST = "SHOW FULL PROCESSLIST";

	private static final String UPTIME = "SHOW GLOBAL STATUS LIKE 'Uptime'";

	/** No such thread: it has ended meanwhile. */
	private static final int GONE = 1094;

	private final KeptConnection connection;

	private final String whoAmI;

	CloseConnection(Database database) {
		this.whoAmI = database.constant("SELECT {serverName}");
		this.connection = new KeptConnection(database, "closing the connection of a worker that is gone");
	}

	/**
	 * Closes a connection.
	 * @param number the server's number of it
	 * @param server the server
	 * @param since for how long it has been there at least
	 * @return whether this call closed it
	 */
	boolean close(long number, String server, Duration since) {
		boolean closed = this.connection.use(ANSWER, (current) -> close(current, number, server, since));
		this.connection.release();
		return closed;
	}

	private boolean close(Connection current, long number, String server, Duration since) throws SQLException {
		try (Statement statement = current.createStatement()) {
			return text(statement, this.whoAmI, 1).equals(server) && uptime(statement).compareTo(since) > 0
					&& isOneOfOurs(statement, number) && kill(statement, number);
		}
	}

	private static String text(Statement statement, String select, int column) throws SQLException {
		try (ResultSet row = statement.executeQuery(select)) {
			return row.next() ? row.getString(column) : "";
		}
	}

	private static Duration uptime(Statement statement) throws SQLException {
		return Duration.ofSeconds(Long.parseLong(text(statement, UPTIME, 2)));
	}

	private static boolean isOneOfOurs(Statement statement, long number) throws SQLException {
		long self = Long.parseLong(text(statement, "SELECT CONNECTION_ID()", 1));
		String own = "";
		String other = "-";
		try (ResultSet row = statement.executeQuery(LIST)) {
			while (row.next()) {
				String whose = row.getString("User") + " " + row.getString("db");
				if (row.getLong("Id") == self && LIST.equals(row.getString("Info"))) {
					own = whose;
				}
				if (row.getLong("Id") == number && number != self) {
					other = whose;
				}
			}
		}
		return own.equals(other);
	}

	private static boolean kill(Statement statement, long number) throws SQLException {
		try {
			statement.execute("KILL CONNECTION " + number);
			return true;
		}
		catch (SQLException ex) {
			if (ex.getErrorCode() != GONE) {
				throw ex;
			}
			return false;
		}
	}

}
