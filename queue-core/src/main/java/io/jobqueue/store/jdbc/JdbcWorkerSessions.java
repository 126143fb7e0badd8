package io.jobqueue.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

import io.jobqueue.store.WorkerSessions;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.support.GeneratedKeyHolder;

/**
 * The worker sessions' statements. Heartbeats go over a connection that is taken from the
 * pool once and kept, so that an application that exhausts its pool does not lose its
 * session.
 */
public final class JdbcWorkerSessions implements WorkerSessions {

	private static final String INSERT = """
			INSERT INTO jobqueue_session
			    (worker, started_at, heartbeat_at, expires_at, slots, busy, queues, types)
			VALUES (:worker, {now}, {now}, TIMESTAMPADD(MICROSECOND, :timeout, {now}), :slots, 0, :queues, :types)""";

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
		return this.database.transactions().run(() -> {
			GeneratedKeyHolder key = new GeneratedKeyHolder();
			this.database.sql(INSERT)
				.param("worker", session.worker())
				.param("timeout", Utc.micros(timeout))
				.param("slots", session.slots())
				.param("queues", String.join(",", session.queues()))
				.param("types", String.join(",", session.types()))
				.update(key, "id");
			Number id = key.getKey();
			if (id == null) {
				throw new IllegalStateException("The database gave the worker session no id");
			}
			return id.longValue();
		});
	}

	@Override
	public boolean heartbeat(long sessionId, int busy, Duration timeout) {
		try {
			Connection current = connect(timeout);
			try (var statement = current.prepareStatement(this.database.constant(HEARTBEAT))) {
				statement.setLong(1, Utc.micros(timeout));
				statement.setInt(2, busy);
				statement.setLong(3, sessionId);
				return statement.executeUpdate() == 1;
			}
		}
		catch (SQLException ex) {
			disconnect();
			throw this.database.template().getExceptionTranslator().translate("heartbeat", HEARTBEAT, ex);
		}
	}

	private Connection connect(Duration timeout) throws SQLException {
		Connection current = this.connection;
		if (current == null) {
			current = this.database.dataSource().getConnection();
			this.connection = current;
			current.setAutoCommit(true);
			if (this.database.dialect() != Dialect.H2) {
				current.setNetworkTimeout(Runnable::run, (int) Math.max(1, timeout.toMillis() / 2));
			}
		}
		return current;
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

}
