package io.jobqueue.store.jdbc;

import java.security.SecureRandom;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

import io.jobqueue.database.Database;
import io.jobqueue.database.KeptConnection;
import io.jobqueue.database.Utc;
import io.jobqueue.store.LockWaits;
import io.jobqueue.store.WorkerSessions;
import io.jobqueue.store.jdbc.table.StartRecords;

/**
 * The worker sessions' statements. Heartbeats go over a connection that is taken from the
 * pool once and kept, so that an application that exhausts its pool does not lose its
 * session.
 */
public class JdbcWorkerSessions implements WorkerSessions {

	private static final String INSERT = """
			INSERT INTO jobqueue_session
			    (id, worker, started_at, heartbeat_at, expires_at, slots, busy, queues, types)
			VALUES (?, ?, {now}, {now}, {now + ? MICROSECOND}, ?, 0, ?, ?)""";

	private static final String HEARTBEAT = """
			UPDATE jobqueue_session
			SET heartbeat_at = {now}, expires_at = {now + ? MICROSECOND}, busy = ?, beats = beats + 1
			WHERE id = ?""";

	private static final String DELETE = """
			DELETE FROM jobqueue_session WHERE id = :id""";

	/** There is always a row, which tells the time. */
	private static final String EXPIRED = """
			SELECT c.now_utc, s.id, s.worker
			FROM (SELECT {now} AS now_utc) c
			LEFT JOIN jobqueue_session s ON s.expires_at < c.now_utc""";

	/**
	 * The second look makes sure that the session has not been prolonged since the first,
	 * and that it has not expired by a jump of the clock.
	 */
	private static final String DELETE_EXPIRED = """
			DELETE FROM jobqueue_session WHERE id = :id AND expires_at < {now} AND {now} < :notAfter""";

	/** Expired ones stay until a node with a worker deletes them. */
	private static final String LIST = """
			SELECT id, worker, queues, types, slots, busy, {readable started_at} AS started_at,
			    {readable heartbeat_at} AS heartbeat_at
			FROM jobqueue_session
			WHERE expires_at >= {now}
			ORDER BY started_at, id""";

	/** Whoever reads ids as doubles, as JavaScript does, still reads them exactly. */
	private static final long MAX_ID = 1L << 53;

	private final Database database;

	private final StartRecords starts;

	private final KeptConnection connection;

	/**
	 * Ids that the database counts up come again after the table was truncated, or the
	 * server was replaced by an older copy of it; then two workers would share a session.
	 */
	private final SecureRandom ids = new SecureRandom();

	/**
	 * Creates the sessions' statements.
	 * @param database the database, with the queue's tables in it
	 */
	public JdbcWorkerSessions(Database database) {
		this.database = database;
		this.starts = new StartRecords(database);
		this.connection = new KeptConnection(database, "worker session");
	}

	@Override
	public long open(NewSession session, Duration timeout) {
		return onOwnConnection(INSERT, timeout, (statement) -> {
			long id = this.ids.nextLong(1, MAX_ID);
			statement.setLong(1, id);
			statement.setString(2, session.worker());
			statement.setLong(3, Utc.micros(timeout));
			statement.setInt(4, session.slots());
			statement.setString(5, String.join(",", session.queues()));
			statement.setString(6, String.join(",", session.types()));
			statement.executeUpdate();
			return id;
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
		return this.connection.use(timeout.dividedBy(2), (current) -> {
			try (PreparedStatement statement = current.prepareStatement(this.database.constant(sql))) {
				return work.run(statement);
			}
		});
	}

	@Override
	public void disconnect() {
		this.connection.release();
	}

	@Override
	public void close(long sessionId) {
		try {
			this.database.transactions().run(LockWaits.SHORT, () -> {
				this.starts.leave(sessionId);
				return true;
			});
		}
		finally {
			this.database.transactions().run(() -> this.database.sql(DELETE).param("id", sessionId).update());
		}
	}

	@Override
	public Expired expired() {
		return this.database.read(() -> {
			Map<Long, String> workers = new LinkedHashMap<>();
			AtomicReference<LocalDateTime> now = new AtomicReference<>();
			this.database.sql(EXPIRED).query((row) -> {
				now.set(row.getObject("now_utc", LocalDateTime.class));
				if (row.getString("worker") != null) {
					workers.put(row.getLong("id"), row.getString("worker"));
				}
			});
			return new Expired(Objects.requireNonNull(now.get()), workers);
		});
	}

	@Override
	public boolean endExpired(long sessionId, LocalDateTime notAfter) {
		return this.database.transactions()
			.run(() -> this.database.sql(DELETE_EXPIRED)
				.param("id", sessionId)
				.param("notAfter", notAfter)
				.update()) == 1;
	}

	@Override
	public List<Session> list() {
		return sessions(LIST);
	}

	private List<Session> sessions(String select) {
		return this.database.read(() -> this.database.sql(select)
			.query((row, number) -> new Session(row.getLong("id"), row.getString("worker"), row.getInt("slots"),
					row.getInt("busy"), names(row.getString("queues")), names(row.getString("types")),
					Utc.instant(row, "started_at"), Utc.instant(row, "heartbeat_at")))
			.list());
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
