package io.jobqueue.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

import com.zaxxer.hikari.HikariDataSource;
import io.jobqueue.database.Database;
import io.jobqueue.database.Utc;
import io.jobqueue.store.WorkerSessions.NewSession;
import io.jobqueue.store.WorkerSessions.Session;
import io.jobqueue.test.ForEachDatabase;
import io.jobqueue.test.TestSessions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.datasource.SingleConnectionDataSource;

import static org.assertj.core.api.Assertions.assertThat;

@ForEachDatabase
class WorkerSessionsTests extends StoreTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(30);

	private JdbcWorkerSessions sessions;

	@BeforeEach
	void openSessions() {
		this.sessions = new JdbcWorkerSessions(this.database);
	}

	@AfterEach
	void disconnect() {
		this.sessions.disconnect();
	}

	@Test
	void anOpenSessionIsListed() {
		long id = this.sessions.open(new NewSession("one", 10, List.of("mail", "default"), List.of("a", "b.c")),
				TIMEOUT);
		Session session = this.sessions.list().get(0);
		assertThat(session).isEqualTo(new Session(id, "one", 10, 0, List.of("mail", "default"), List.of("a", "b.c"),
				session.startedAt(), session.startedAt()));
		assertThat(expiry(id)).isEqualTo(TIMEOUT);
	}

	@Test
	void aSessionMayServeEveryQueueAndNoType() {
		this.sessions.open(new NewSession("one", 10, List.of(), List.of()), TIMEOUT);
		assertThat(this.sessions.list()).singleElement().satisfies((session) -> {
			assertThat(session.queues()).isEmpty();
			assertThat(session.types()).isEmpty();
		});
	}

	@Test
	void sessionsAreListedByTheirStart() {
		long first = open("one");
		long second = open("two");
		assertThat(this.sessions.list()).extracting(Session::id).containsExactly(first, second);
	}

	@Test
	void aHeartbeatProlongsTheSessionAndTellsHowBusyItIs() {
		long id = open("one");
		long other = open("two");
		this.rows.sql("""
				UPDATE jobqueue_session
				SET started_at = TIMESTAMPADD(HOUR, -1, started_at), heartbeat_at = TIMESTAMPADD(MINUTE, -1, {now}),
				    expires_at = TIMESTAMPADD(SECOND, 1, {now})""").update();
		List<Session> before = this.sessions.list();
		assertThat(this.sessions.heartbeat(id, 7, Duration.ofMinutes(2))).isTrue();
		List<Session> after = this.sessions.list();
		assertThat(after.get(0).busy()).isEqualTo(7);
		assertThat(after.get(0).heartbeatAt()).isAfter(before.get(0).heartbeatAt());
		assertThat(after.get(0).startedAt()).isEqualTo(before.get(0).startedAt());
		assertThat(expiry(id)).isEqualTo(Duration.ofMinutes(2));
		assertThat(after.get(1)).isEqualTo(before.get(1));
		assertThat(other).isEqualTo(after.get(1).id());
	}

	@Test
	void aSessionThatHasEndedHasNoHeartbeat() {
		long id = open("one");
		assertThat(this.sessions.heartbeat(id, 0, TIMEOUT)).isTrue();
		this.sessions.close(id);
		assertThat(this.sessions.heartbeat(id, 0, TIMEOUT)).isFalse();
		assertThat(this.sessions.list()).isEmpty();
		this.sessions.close(id);
	}

	@Test
	void aSessionThatIsGoneHasNoHeartbeatBecauseOfAnother() {
		long lost = open("one");
		this.database.template().execute("TRUNCATE TABLE jobqueue_session");
		open("two");
		assertThat(this.sessions.heartbeat(lost, 0, TIMEOUT)).isFalse();
	}

	@Test
	void onlySessionsWithoutHeartbeatForTheirTimeoutAreEnded() {
		long old = open("old");
		long prolonged = open("prolonged");
		long young = open("young");
		this.rows.sql("UPDATE jobqueue_session SET expires_at = TIMESTAMPADD(SECOND, -1, {now}) WHERE id <> :id")
			.param("id", young)
			.update();
		assertThat(this.sessions.heartbeat(prolonged, 0, TIMEOUT)).as("late, and before anybody looked").isTrue();
		assertThat(this.sessions.list()).as("there may be nobody who ends those that have expired")
			.extracting(Session::id)
			.containsExactly(prolonged, young);
		assertThat(TestSessions.endExpired(this.sessions)).containsExactly("old");
		assertThat(this.sessions.heartbeat(old, 0, TIMEOUT)).isFalse();
		assertThat(this.sessions.list()).extracting(Session::id).containsExactly(prolonged, young);
		assertThat(TestSessions.endExpired(this.sessions)).isEmpty();
	}

	@Test
	void aHeartbeatNeedsNothingOfAPoolThatIsExhausted() throws SQLException {
		HikariDataSource pool = schema().pool((settings) -> {
			settings.setMaximumPoolSize(2);
			settings.setConnectionTimeout(10_000);
		});
		JdbcWorkerSessions sessions = new JdbcWorkerSessions(new Database(pool));
		long id = sessions.open(new NewSession("one", 10, List.of(), List.of()), TIMEOUT);
		assertThat(sessions.heartbeat(id, 0, TIMEOUT)).isTrue();
		try (Connection taken = pool.getConnection()) {
			assertThat(taken.isClosed()).isFalse();
			assertThat(sessions.heartbeat(id, 1, TIMEOUT)).isTrue();
		}
		sessions.disconnect();
		try (Connection first = pool.getConnection(); Connection second = pool.getConnection()) {
			assertThat(first).as("the heartbeats' connection is back").isNotSameAs(second);
		}
		assertThat(sessions.heartbeat(id, 2, TIMEOUT)).as("on a new connection").isTrue();
		sessions.disconnect();
		sessions.disconnect();
	}

	/**
	 * As a pool that does not reset what its users have changed.
	 */
	@Test
	void theHeartbeatsConnectionGoesBackAsItCame() throws SQLException {
		try (Connection only = schema().connect()) {
			only.setAutoCommit(false);
			if (!this.testDatabase.isH2()) {
				only.setNetworkTimeout(Runnable::run, 12_345);
			}
			JdbcWorkerSessions sessions = new JdbcWorkerSessions(
					new Database(new SingleConnectionDataSource(only, true)));
			long id = sessions.open(new NewSession("one", 10, List.of(), List.of()), TIMEOUT);
			assertThat(sessions.heartbeat(id, 1, TIMEOUT)).isTrue();
			assertThat(only.getAutoCommit()).isTrue();
			sessions.disconnect();
			assertThat(only.getAutoCommit()).isFalse();
			assertThat(only.getNetworkTimeout()).isEqualTo(this.testDatabase.isH2() ? 0 : 12_345);
		}
	}

	@Test
	void aHeartbeatIsNoPartOfTheCallersTransaction() {
		long id = open("one");
		transaction().executeWithoutResult((status) -> {
			assertThat(this.sessions.heartbeat(id, 9, TIMEOUT)).isTrue();
			status.setRollbackOnly();
		});
		assertThat(this.sessions.list().get(0).busy()).isEqualTo(9);
	}

	private long open(String worker) {
		return this.sessions.open(new NewSession(worker, 10, List.of(), List.of()), TIMEOUT);
	}

	private Duration expiry(long id) {
		return Utc.ofMicros(this.rows
			.sql("SELECT TIMESTAMPDIFF(MICROSECOND, heartbeat_at, expires_at) FROM jobqueue_session WHERE id = :id")
			.param("id", id)
			.query(Long.class)
			.single());
	}

}
