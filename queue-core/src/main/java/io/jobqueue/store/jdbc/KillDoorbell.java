package io.jobqueue.store.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

import io.jobqueue.database.Database;
import io.jobqueue.database.KeptConnection;
import io.jobqueue.store.Doorbell;

import org.jspecify.annotations.Nullable;

/**
 * A doorbell made of what MySQL and MariaDB have: who waits sleeps in a statement that
 * says so, and who rings kills that statement, which takes no privilege as long as both
 * are the same user of the database.
 * <p>
 * No statement of the application's is ever to be killed. So only connections that are
 * kept for it sleep like that; they are closed for good afterwards; and a ring kills only
 * what it found on the very connection and server on which it kills: behind a proxy,
 * whose numbers of connections are not the server's, it refuses.
 */
public final class KillDoorbell implements Doorbell {

	private static final String MARK = "jobqueue_waits";

	private static final Duration ANSWER = Duration.ofSeconds(5);

	/**
	 * Who waits is looked up again after this time; until then, who came later is not
	 * woken.
	 */
	private static final long LOOK_UP_NANOS = Duration.ofSeconds(1).toNanos();

	private static final String LIST = "SHOW FULL PROCESSLIST";

	/** What MariaDB says of a sleep that was killed. */
	private static final int INTERRUPTED = 1317;

	/** What MariaDB and MySQL say of one that is longer than a statement may be. */
	private static final Set<Integer> TOO_LONG = Set.of(1969, 3024);

	/** No such thread: it has gone since it was looked up. */
	private static final int GONE = 1094;

	private final KeptConnection waiting;

	private final KeptConnection ringing;

	private final LongSupplier nanoTime;

	/** The connection on which this node waits; 0 if it does not. */
	private volatile long ownId;

	/** The rest is used by the ringing thread only. */
	private Set<Long> sleepers = Set.of();

	private long lookedUpAt;

	/** Numbers start anew with the server, so they are known to this connection only. */
	private @Nullable Connection lookedUpOn;

	/**
	 * Creates a doorbell; connects when it is used.
	 * @param database MySQL or MariaDB
	 * @param nanoTime the monotonic clock
	 */
	public KillDoorbell(Database database, LongSupplier nanoTime) {
		this(database, nanoTime, KeptConnection::abort);
	}

	/**
	 * Creates a doorbell; connects when it is used.
	 * @param database MySQL or MariaDB
	 * @param nanoTime the monotonic clock
	 * @param closeForGood closes a connection of the pool such that it is not handed out
	 * again, as the pool itself may do with less noise than JDBC
	 */
	public KillDoorbell(Database database, LongSupplier nanoTime, Consumer<Connection> closeForGood) {
		this.waiting = new KeptConnection(database, "waiting at the doorbell", closeForGood);
		this.ringing = new KeptConnection(database, "ringing the doorbell", closeForGood);
		this.nanoTime = nanoTime;
	}

	@Override
	public boolean await(Duration most) {
		try {
			return this.waiting.use(most.plus(ANSWER), (connection) -> sleep(connection, most));
		}
		catch (RuntimeException ex) {
			this.ownId = 0;
			throw ex;
		}
	}

	private boolean sleep(Connection connection, Duration most) throws SQLException {
		try (Statement statement = connection.createStatement()) {
			if (this.ownId == 0) {
				this.ownId = number(statement, "SELECT CONNECTION_ID()");
			}
			return number(statement, "SELECT SLEEP(" + most.toMillis() / 1_000.0 + ") AS " + MARK) == 1;
		}
		catch (SQLException ex) {
			if (ex.getErrorCode() == INTERRUPTED || TOO_LONG.contains(ex.getErrorCode())) {
				return ex.getErrorCode() == INTERRUPTED;
			}
			throw ex;
		}
	}

	private static long number(Statement statement, String select) throws SQLException {
		try (ResultSet row = statement.executeQuery(select)) {
			row.next();
			return row.getLong(1);
		}
	}

	@Override
	public void endWaiting() {
		this.waiting.closeForGood();
		this.ownId = 0;
	}

	@Override
	public void ring() {
		this.ringing.use(ANSWER, this::ring);
	}

	private boolean ring(Connection connection) throws SQLException {
		long now = this.nanoTime.getAsLong();
		if (connection != this.lookedUpOn || now - this.lookedUpAt >= LOOK_UP_NANOS) {
			this.sleepers = lookUp(connection);
			this.lookedUpAt = now;
			this.lookedUpOn = connection;
		}
		for (long id : this.sleepers) {
			if (id != this.ownId) {
				wakeUp(connection, id);
			}
		}
		return true;
	}

	private static Set<Long> lookUp(Connection connection) throws SQLException {
		try (Statement statement = connection.createStatement()) {
			long self = number(statement, "SELECT CONNECTION_ID()");
			List<Doing> list = new ArrayList<>();
			try (ResultSet row = statement.executeQuery(LIST)) {
				while (row.next()) {
					list.add(new Doing(row.getLong("Id"), String.valueOf(row.getString("User")),
							String.valueOf(row.getString("db")), String.valueOf(row.getString("Info"))));
				}
			}
			Doing own = list.stream()
				.filter((doing) -> doing.id() == self && doing.statement().startsWith(LIST))
				.findAny()
				.orElseThrow(() -> new SQLException("The connection is not known to the server by its number, "
						+ "as behind a proxy; jobqueue.doorbell needs a direct one"));
			return list.stream()
				.filter((doing) -> doing.isAsleep() && doing.user().equals(own.user())
						&& doing.schema().equals(own.schema()))
				.map(Doing::id)
				.collect(Collectors.toSet());
		}
	}

	private void wakeUp(Connection connection, long id) throws SQLException {
		try (Statement statement = connection.createStatement()) {
			statement.execute("KILL QUERY " + id);
		}
		catch (SQLException ex) {
			if (ex.getErrorCode() != GONE) {
				throw ex;
			}
			this.lookedUpOn = null;
		}
	}

	@Override
	public void endRinging() {
		this.lookedUpOn = null;
		this.ringing.release();
	}

	/**
	 * What a connection does.
	 *
	 * @param id its number
	 * @param user whose it is
	 * @param schema the schema that it uses
	 * @param statement the statement that it runs
	 */
	private record Doing(long id, String user, String schema, String statement) {

		boolean isAsleep() {
			return this.statement.startsWith("SELECT SLEEP(") && this.statement.endsWith(MARK);
		}

	}

}
