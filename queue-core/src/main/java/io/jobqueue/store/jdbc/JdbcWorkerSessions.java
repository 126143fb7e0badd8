package io.jobqueue.store.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

import io.jobqueue.store.WorkerSessions;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.UncategorizedSQLException;

/**
 * The worker sessions' statements. Heartbeats go over a connection that is taken from the
 * pool once and kept, so that an application that exhausts its pool does not lose its
 * session.
 */
public class JdbcWorkerSessions implements WorkerSessions {

	private static final Logger log = LoggerFactory.getLogger(JdbcWorkerSessions.class);

	private static final String INSERT = """
			INSERT INTO jobqueue_session
			    (worker, started_at, heartbeat_at, expires_at, slots, busy, queues, types)
			VALUES (?, {now}, {now}, TIMESTAMPADD(MICROSECOND, ?, {now}), ?, 0, ?, ?)""";

	private static final String HEARTBEAT = """
			UPDATE jobqueue_session
			SET heartbeat_at = {now}, expires_at = TIMESTAMPADD(MICROSECOND, ?, {now}), busy = ?
			WHERE id = ?""";

	private static final String DELETE = """
			DELETE FROM jobqueue_session WHERE id = :id""";

	private static final String EXPIRED = """
			SELECT id, worker, queues, types, slots, busy, started_at, heartbeat_at
			FROM jobqueue_session
			WHERE expires_at < {now}""";

	/**
	 * The second look makes sure that the session has not been prolonged since the first.
	 */
	private static final String DELETE_EXPIRED = """
			DELETE FROM jobqueue_session WHERE id = :id AND expires_at < {now}""";

	private static final String LIST = """
			SELECT id, worker, queues, types, slots, busy, started_at, heartbeat_at
			FROM jobqueue_session
			ORDER BY id""";

	private final Database database;

	/** Used by the heartbeat's thread only. */
	private @Nullable Connection connection;

	/**
	 * Creates the sessions' statements.
	 * @param database the database, with the queue's tables in it
	 */
	public JdbcWorkerSessions(Database database) {
		this.database = database;
	}

	@Override
	public long open(NewSession session, Duration timeout) {
		return onOwnConnection(INSERT, timeout, (statement) -> {
			statement.setString(1, session.worker());
			statement.setLong(2, Utc.micros(timeout));
			statement.setInt(3, session.slots());
			statement.setString(4, String.join(",", session.queues()));
			statement.setString(5, String.join(",", session.types()));
			statement.executeUpdate();
			try (ResultSet keys = statement.getGeneratedKeys()) {
				if (!keys.next()) {
					throw new SQLException("The database gave the worker session no id");
				}
				return keys.getLong(1);
			}
		});
	}

	@Override
	public boolean heartbeat(long sessionId, int busy, Duration timeout) {
		return onOwnConnection(HEARTBEAT, timeout, (statement) -> {
			statement.setLong(1, Utc.micros(timeout));
			statement.setInt(2, busy);
			statement.setLong(3, sessionId);
			return statement.executeUpdate() == 1;
		});
	}

	private <T> T onOwnConnection(String sql, Duration timeout, StatementWork<T> work) {
		try {
			Connection current = connect(timeout);
			try (PreparedStatement statement = current.prepareStatement(this.database.constant(sql),
					new String[] { "id" })) {
				return work.run(statement);
			}
		}
		catch (SQLException ex) {
			abandon();
			DataAccessException translated = this.database.template()
				.getExceptionTranslator()
				.translate("session", sql, ex);
			throw (translated != null) ? translated : new UncategorizedSQLException("session", sql, ex);
		}
	}

	private Connection connect(Duration timeout) throws SQLException {
		Connection current = this.connection;
		if (current == null) {
			current = this.database.dataSource().getConnection();
			this.connection = current;
			if (this.database.dialect() != Dialect.H2) {
				current.setNetworkTimeout(Runnable::run, (int) Math.max(1, timeout.toMillis() / 2));
			}
			current.setAutoCommit(true);
		}
		return current;
	}

	/**
	 * Closes the connection for good. The pool would hand out again one that still
	 * answers, as a server does that has become read-only.
	 */
	private void abandon() {
		Connection current = this.connection;
		if (current != null) {
			try {
				current.abort(Runnable::run);
			}
			catch (SQLException ex) {
				log.debug("A heartbeat's connection could not be closed", ex);
			}
		}
		disconnect();
	}

	@Override
	public void disconnect() {
		Connection current = this.connection;
		this.connection = null;
		if (current != null) {
			try {
				if (this.database.dialect() != Dialect.H2 && !current.isClosed()) {
					current.setNetworkTimeout(Runnable::run, 0);
				}
				current.close();
			}
			catch (SQLException ex) {
				// The connection is broken; the pool throws it away.
			}
		}
	}

	@Override
	public void close(long sessionId) {
		this.database.transactions().run(() -> this.database.sql(DELETE).param("id", sessionId).update());
	}

	@Override
	public List<String> endExpired() {
		List<Session> expired = sessions(EXPIRED);
		return expired.stream()
			.filter((session) -> this.database.transactions()
				.run(() -> this.database.sql(DELETE_EXPIRED).param("id", session.id()).update()) == 1)
			.map(Session::worker)
			.toList();
	}

	@Override
	public List<Session> list() {
		return sessions(LIST);
	}

	private List<Session> sessions(String select) {
		return this.database.sql(select)
			.query((row, number) -> new Session(row.getLong("id"), row.getString("worker"), row.getInt("slots"),
					row.getInt("busy"), names(row.getString("queues")), names(row.getString("types")),
					Utc.instant(row, "started_at"), Utc.instant(row, "heartbeat_at")))
			.list();
	}

	private static List<String> names(String joined) {
		return joined.isEmpty() ? List.of() : Arrays.asList(joined.split(","));
	}

	/**
	 * Something to do with a statement.
	 *
	 * @param <T> what it returns
	 */
	private interface StatementWork<T> {

		T run(PreparedStatement statement) throws SQLException;

	}

}
