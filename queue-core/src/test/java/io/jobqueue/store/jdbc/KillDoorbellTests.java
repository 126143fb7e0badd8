package io.jobqueue.store.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.jobqueue.database.Database;
import io.jobqueue.test.ForEachDatabase;
import io.jobqueue.test.TestDatabase;
import io.jobqueue.test.TestSchema;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Who is woken by a ring, and who is not.
 */
@ForEachDatabase
class KillDoorbellTests extends StoreTests {

	private static final Duration LONG = Duration.ofSeconds(8);

	private final List<KillDoorbell> doorbells = new ArrayList<>();

	private final List<CompletableFuture<Boolean>> waits = new ArrayList<>();

	@BeforeEach
	void notOnH2() {
		assumeFalse(this.testDatabase.isH2(), "H2 has no doorbell");
	}

	/** Whoever waits has to be woken first, so that its own thread can go. */
	@AfterEach
	void end() {
		if (!this.waits.isEmpty()) {
			KillDoorbell last = new KillDoorbell(this.database, System::nanoTime);
			ringUntilDone(last,
					CompletableFuture.allOf(this.waits.toArray(CompletableFuture[]::new)).exceptionally((ex) -> null));
			last.endRinging();
		}
		this.doorbells.forEach(KillDoorbell::endRinging);
		this.doorbells.forEach(KillDoorbell::endWaiting);
	}

	private KillDoorbell doorbell(DataSource dataSource) {
		KillDoorbell doorbell = new KillDoorbell(new Database(dataSource), System::nanoTime);
		this.doorbells.add(doorbell);
		return doorbell;
	}

	private CompletableFuture<Boolean> waiting(KillDoorbell doorbell) {
		CompletableFuture<Boolean> waiting = CompletableFuture.supplyAsync(() -> doorbell.await(LONG));
		this.waits.add(waiting);
		return waiting;
	}

	/** Who comes to wait is noticed within a second. */
	private static void ringUntilDone(KillDoorbell doorbell, CompletableFuture<?> waiting) {
		Awaitility.await().pollInterval(Duration.ofMillis(20)).until(() -> {
			doorbell.ring();
			return waiting.isDone();
		});
	}

	@Test
	void aRingWakesEveryOtherNodeThatWaits() throws Exception {
		CompletableFuture<Boolean> first = waiting(doorbell(dataSource()));
		CompletableFuture<Boolean> second = waiting(doorbell(dataSource()));
		ringUntilDone(doorbell(dataSource()), CompletableFuture.allOf(first, second));
		assertThat(first.get()).isTrue();
		assertThat(second.get()).isTrue();
	}

	@Test
	void whoWasWokenCanWaitAndBeWokenAgain() throws Exception {
		KillDoorbell sleeper = doorbell(dataSource());
		KillDoorbell ringer = doorbell(dataSource());
		for (int i = 0; i < 5; i++) {
			CompletableFuture<Boolean> waiting = waiting(sleeper);
			ringUntilDone(ringer, waiting);
			assertThat(waiting.get()).isTrue();
		}
	}

	@Test
	void aWaitEndsWithoutARing() {
		assertThat(doorbell(dataSource()).await(Duration.ofMillis(50))).isFalse();
	}

	@Test
	void nobodyIsWokenByHisOwnRing() {
		KillDoorbell both = doorbell(dataSource());
		CompletableFuture<Boolean> waiting = waiting(both);
		awaitSleeper(dataSource());
		for (int i = 0; i < 5; i++) {
			both.ring();
		}
		assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> waiting.get(200, TimeUnit.MILLISECONDS));
	}

	@Test
	void neitherAnotherSchemaNorTheApplicationsOwnStatementsAreDisturbed() throws Exception {
		try (TestSchema other = this.testDatabase.create()) {
			CompletableFuture<Boolean> elsewhere = CompletableFuture.supplyAsync(() -> {
				KillDoorbell doorbell = new KillDoorbell(new Database(other.dataSource()), System::nanoTime);
				boolean rung = doorbell.await(Duration.ofSeconds(3));
				doorbell.endWaiting();
				return rung;
			});
			awaitSleeper(other.dataSource());
			CompletableFuture<Integer> application = CompletableFuture.supplyAsync(
					() -> new JdbcTemplate(dataSource()).queryForObject("SELECT SLEEP(1) AS nap", Integer.class));
			CompletableFuture<Boolean> here = waiting(doorbell(dataSource()));
			KillDoorbell ringer = doorbell(dataSource());
			ringUntilDone(ringer, here);
			ringUntilDone(ringer, application);
			assertThat(application.get()).isZero();
			assertThat(elsewhere.get()).isFalse();
		}
	}

	@Test
	void aConnectionThatHasSleptIsNotHandedOutAgain() throws Exception {
		try (HikariDataSource pool = schema().pool((settings) -> settings.setMaximumPoolSize(2))) {
			KillDoorbell doorbell = new KillDoorbell(new Database(pool), System::nanoTime, pool::evictConnection);
			CompletableFuture<Boolean> waiting = waiting(doorbell);
			long id = awaitSleeper(dataSource());
			ringUntilDone(doorbell(dataSource()), waiting);
			doorbell.endWaiting();
			Awaitility.await().until(() -> pool.getHikariPoolMXBean().getActiveConnections() == 0);
			try (Connection one = pool.getConnection(); Connection another = pool.getConnection()) {
				assertThat(List.of(idOf(one), idOf(another))).doesNotContain(id);
			}
		}
	}

	private static long idOf(Connection connection) throws SQLException {
		try (Statement statement = connection.createStatement();
				ResultSet row = statement.executeQuery("SELECT CONNECTION_ID()")) {
			row.next();
			return row.getLong(1);
		}
	}

	@Test
	void whoHasStoppedRingingGivesItsConnectionBackAndMayRingAgain() throws Exception {
		try (HikariDataSource pool = schema().pool((settings) -> settings.setMaximumPoolSize(1))) {
			KillDoorbell ringer = new KillDoorbell(new Database(pool), System::nanoTime);
			ringer.ring();
			ringer.endRinging();
			assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
			CompletableFuture<Boolean> waiting = waiting(doorbell(dataSource()));
			ringUntilDone(ringer, waiting);
			assertThat(waiting.get()).isTrue();
			ringer.endRinging();
		}
	}

	@Test
	void whoLosesHisConnectionWaitsOnAnotherOne() throws Exception {
		KillDoorbell sleeper = doorbell(dataSource());
		CompletableFuture<Boolean> waiting = waiting(sleeper);
		new JdbcTemplate(dataSource()).execute("KILL CONNECTION " + awaitSleeper(dataSource()));
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> waiting.get(10, TimeUnit.SECONDS))
			.withCauseInstanceOf(DataAccessException.class);
		CompletableFuture<Boolean> again = waiting(sleeper);
		ringUntilDone(doorbell(dataSource()), again);
		assertThat(again.get()).isTrue();
	}

	@Test
	void anOrdinaryUserOfTheDatabaseNeedsNoPrivilegeForIt() throws Exception {
		assumeTrue(this.testDatabase == TestDatabase.MYSQL, "the MariaDB of the tests has no users");
		String schema = new JdbcTemplate(dataSource()).queryForObject("SELECT DATABASE()", String.class);
		JdbcTemplate root = new JdbcTemplate(dataSource());
		root.execute("CREATE USER IF NOT EXISTS doorbell_user IDENTIFIED BY 'doorbell'");
		root.execute("GRANT SELECT, INSERT, UPDATE, DELETE ON " + schema + ".* TO doorbell_user");
		try (HikariDataSource pool = schema().pool((settings) -> {
			settings.setUsername("doorbell_user");
			settings.setPassword("doorbell");
			settings.addDataSourceProperty("allowPublicKeyRetrieval", "true");
		})) {
			CompletableFuture<Boolean> waiting = waiting(doorbell(pool));
			KillDoorbell ringer = doorbell(pool);
			ringUntilDone(ringer, waiting);
			assertThat(waiting.get()).isTrue();
			this.doorbells.forEach(KillDoorbell::endWaiting);
			this.doorbells.forEach(KillDoorbell::endRinging);
		}
		finally {
			root.execute("DROP USER doorbell_user");
		}
	}

	private static long awaitSleeper(DataSource dataSource) {
		String select = "SELECT ID FROM information_schema.PROCESSLIST WHERE INFO LIKE 'SELECT SLEEP(%AS jobqueue_waits' "
				+ "AND DB = DATABASE()";
		JdbcTemplate template = new JdbcTemplate(dataSource);
		return Awaitility.await()
			.until(() -> template.queryForList(select, Long.class), (found) -> found.size() == 1)
			.get(0);
	}

}
