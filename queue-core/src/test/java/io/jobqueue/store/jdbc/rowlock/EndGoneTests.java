package io.jobqueue.store.jdbc.rowlock;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

import io.jobqueue.database.Database;
import io.jobqueue.store.Claim;
import io.jobqueue.store.jdbc.JdbcWorkerSessions;
import io.jobqueue.test.TestDatabase;
import io.jobqueue.test.TestSchema;
import io.jobqueue.test.WatchedDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Jobs that were begun and are past their deadlines.
 */
@ParameterizedClass(name = "{0}")
@EnumSource(names = { "MYSQL", "MARIADB" })
class EndGoneTests {

	private static final long SESSION = 42;

	private static final UnaryOperator<Duration> NO_JUMP = UnaryOperator.identity();

	@Parameter(0)
	private TestDatabase testDatabase;

	private TestSchema schema;

	private JdbcTemplate sql;

	private EndGone endGone;

	@BeforeEach
	void createSchema() {
		assumeTrue(this.testDatabase.isAvailable(), this.testDatabase::whyNot);
		this.schema = this.testDatabase.create();
		this.sql = new JdbcTemplate(this.schema.dataSource());
		Database database = new Database(this.schema.dataSource());
		this.endGone = new EndGone(database, new FreeLost(database));
		this.sql.update("INSERT INTO jobqueue_job (id, type) VALUES (7, 'any')");
		this.sql.update("INSERT INTO jobqueue_session (id, worker, started_at, heartbeat_at, expires_at, slots, busy, "
				+ "queues, types) VALUES (?, 'any', UTC_TIMESTAMP(6), UTC_TIMESTAMP(6), '2099-01-01', 1, 1, '', 'any')",
				SESSION);
	}

	@AfterEach
	void closeSchema() {
		if (this.schema != null) {
			this.schema.close();
		}
	}

	private static Set<Claim> over(Claim... claims) {
		return new HashSet<>(List.of(claims));
	}

	private static void run(Connection connection, String statement) throws SQLException {
		try (Statement run = connection.createStatement()) {
			run.execute(statement);
		}
	}

	private static void begun(Connection worker) throws SQLException {
		try (Statement statement = worker.createStatement();
				ResultSet row = statement.executeQuery("SELECT CONNECTION_ID()")) {
			row.next();
			run(worker,
					"INSERT INTO jobqueue_start (job_id, fence, session_id, connection_id, server, started_at, "
							+ "deadline_at) VALUES (7, 1, " + SESSION + ", " + row.getLong(1)
							+ ", LEFT(CONCAT(@@hostname, ':', @@port), 255), UTC_TIMESTAMP(6) - INTERVAL 1 SECOND, "
							+ "UTC_TIMESTAMP(6) - INTERVAL 1 MICROSECOND)");
		}
	}

	@Test
	void theConnectionThatKeepsTheRowIsClosed() throws SQLException {
		try (Connection worker = this.schema.connect()) {
			begun(worker);
			worker.setAutoCommit(false);
			run(worker, "SELECT id FROM jobqueue_job WHERE id = 7 FOR UPDATE");
			assertThat(this.endGone.run(over(), (ago) -> Duration.ZERO)).as("the clock has jumped").isZero();
			assertThat(worker.isValid(5)).isTrue();
			assertThat(this.endGone.run(over(), NO_JUMP)).isZero();
			assertThat(worker.isValid(5)).isFalse();
		}
	}

	/** Such as another node, that looks at it as well. */
	@Test
	void aRowThatSomebodyLocksForAMomentIsLookedAtAgain() throws SQLException {
		try (Connection worker = this.schema.connect(); Connection other = this.schema.connect()) {
			begun(worker);
			other.setAutoCommit(false);
			run(other, "SELECT id FROM jobqueue_job WHERE id = 7 FOR UPDATE");
			WatchedDataSource watched = new WatchedDataSource(this.schema.dataSource());
			AtomicInteger looks = new AtomicInteger();
			watched.beforePlainStatement((sql) -> {
				if (sql.contains("FOR UPDATE SKIP LOCKED") && looks.incrementAndGet() == 2) {
					rollback(other);
				}
			});
			Database database = new Database(watched);
			assertThat(new EndGone(database, new FreeLost(database)).run(over(), NO_JUMP)).isZero();
			assertThat(looks).hasValueGreaterThan(1);
			assertThat(worker.isValid(5)).isTrue();
			assertThat(crashesAndOutages()).as("nobody has it, so it is lost").isEqualTo("0 1");
		}
	}

	@Test
	void whoStopsDoesNotWaitForWhatIsBeingEnded() throws SQLException {
		try (Connection worker = this.schema.connect()) {
			begun(worker);
			this.sql
				.update("INSERT INTO jobqueue_start SELECT 8, fence, session_id, connection_id, server, started_at, "
						+ "deadline_at, 1, 0 FROM jobqueue_start");
			worker.setAutoCommit(false);
			run(worker, "DELETE FROM jobqueue_start WHERE job_id = 7");
			new JdbcWorkerSessions(new Database(this.schema.dataSource())).close(SESSION);
			assertThat(this.sql.queryForList("SELECT id FROM jobqueue_session")).isEmpty();
			assertThat(this.sql.queryForList("SELECT job_id FROM jobqueue_start", Long.class)).containsExactly(7L);
			worker.commit();
			assertThat(this.sql.queryForList("SELECT job_id FROM jobqueue_start")).isEmpty();
		}
	}

	/** Then the looks would follow each other at once. */
	@Test
	void whoIsInterruptedClosesNoConnection() throws SQLException {
		try (Connection worker = this.schema.connect()) {
			begun(worker);
			worker.setAutoCommit(false);
			run(worker, "SELECT id FROM jobqueue_job WHERE id = 7 FOR UPDATE");
			WatchedDataSource watched = new WatchedDataSource(this.schema.dataSource());
			watched.beforePlainStatement((sql) -> {
				if (sql.contains("FOR UPDATE SKIP LOCKED")) {
					Thread.currentThread().interrupt();
				}
			});
			Database database = new Database(watched);
			assertThat(new EndGone(database, new FreeLost(database)).run(over(), NO_JUMP)).isZero();
			assertThat(Thread.interrupted()).isTrue();
			assertThat(worker.isValid(5)).isTrue();
		}
	}

	private static void rollback(Connection connection) {
		try {
			connection.rollback();
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Test
	void whatAWorkerHasLeftRunningThatStoppedInOrderIsAnOutage() throws SQLException {
		try (Connection worker = this.schema.connect()) {
			begun(worker);
			worker.setAutoCommit(false);
			run(worker, "SELECT id FROM jobqueue_job WHERE id = 7 FOR UPDATE");
			new JdbcWorkerSessions(new Database(this.schema.dataSource())).close(SESSION);
			assertThat(this.sql.queryForMap("SELECT session_id, left_running FROM jobqueue_start"))
				.as("it may still end")
				.isEqualTo(Map.of("session_id", SESSION, "left_running", 1));
			this.endGone.run(over(), NO_JUMP);
			assertThat(worker.isValid(5)).isFalse();
			this.endGone.run(over(), NO_JUMP);
			assertThat(crashesAndOutages()).isEqualTo("0 1");
			assertThat(this.sql.queryForList("SELECT * FROM jobqueue_start")).isEmpty();
		}
	}

	/** Its worker has lost the connection, in the middle of a commit. */
	@Test
	void theConnectionOfWhatIsOverIsClosedBeforeItsDeadline() throws SQLException {
		try (Connection worker = this.schema.connect()) {
			begun(worker);
			this.sql.update("UPDATE jobqueue_start SET deadline_at = '2099-01-01'");
			worker.setAutoCommit(false);
			run(worker, "DELETE FROM jobqueue_job WHERE id = 7");
			run(worker, "DELETE FROM jobqueue_start WHERE job_id = 7");
			Set<Claim> over = over(new Claim(7, 1, SESSION));
			assertThat(this.endGone.run(over(new Claim(7, 2, SESSION)), NO_JUMP)).isZero();
			assertThat(worker.isValid(5)).as("another one is over").isTrue();
			this.endGone.run(over, NO_JUMP);
			assertThat(worker.isValid(5)).isFalse();
			assertThat(over).hasSize(1);
			this.endGone.run(over, NO_JUMP);
			assertThat(crashesAndOutages()).isEqualTo("0 1");
			this.endGone.run(over, NO_JUMP);
			assertThat(over).isEmpty();
		}
	}

	/** The pool has given it to somebody else. */
	@Test
	void aConnectionThatDoesNotKeepTheRowIsNot() throws SQLException {
		try (Connection worker = this.schema.connect()) {
			begun(worker);
			assertThat(this.endGone.run(over(), NO_JUMP)).isZero();
			assertThat(worker.isValid(5)).isTrue();
		}
	}

	@Test
	void whatASessionThatHasEndedHasBegunBecomesItsClaim() throws SQLException {
		try (Connection worker = this.schema.connect()) {
			begun(worker);
			this.sql.update("DELETE FROM jobqueue_session");
			assertThat(this.endGone.run(over(), NO_JUMP)).isEqualTo(1);
			assertThat(this.sql.queryForMap("SELECT state, session_id, fence FROM jobqueue_job"))
				.containsEntry("state", 1)
				.containsEntry("session_id", SESSION)
				.containsEntry("fence", 1L);
			assertThat(this.sql.queryForList("SELECT * FROM jobqueue_start")).isEmpty();
		}
	}

	@Test
	void anOutageBecomesACrashOnceItsSessionHasEnded() throws SQLException {
		try (Connection worker = this.schema.connect()) {
			begun(worker);
			this.sql.update("UPDATE jobqueue_start SET freed = 1");
			this.sql.update("UPDATE jobqueue_job SET state = 2, outages = 1, fence = 1");
			this.endGone.run(over(), NO_JUMP);
			assertThat(crashesAndOutages()).as("its session lives").isEqualTo("0 1");
			this.sql.update("DELETE FROM jobqueue_session");
			this.endGone.run(over(), NO_JUMP);
			assertThat(crashesAndOutages()).isEqualTo("1 0");
			assertThat(this.sql.queryForList("SELECT * FROM jobqueue_start")).isEmpty();
		}
	}

	private String crashesAndOutages() {
		return this.sql.queryForObject("SELECT CONCAT(crashes, ' ', outages) FROM jobqueue_job", String.class);
	}

}
