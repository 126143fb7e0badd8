package io.jobqueue.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;

import com.zaxxer.hikari.HikariDataSource;
import io.jobqueue.NewJob;
import io.jobqueue.database.Database;
import io.jobqueue.database.TimeLimitedDataSource;
import io.jobqueue.store.SqlFailure;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.store.WorkerSessions.NewSession;
import io.jobqueue.test.ForEachDatabase;
import io.jobqueue.test.Wire;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.jdbc.datasource.SingleConnectionDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

/**
 * A server that does not answer any more, and does not close its connections either, as
 * when its host has vanished.
 */
@ForEachDatabase
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SilentServerTests extends StoreTests {

	private static final Duration LIMIT = Duration.ofSeconds(2);

	private Wire proxy;

	private HikariDataSource pool;

	private Database limited;

	private JdbcJobStore silentStore;

	@BeforeEach
	void connectThroughAProxy() {
		assumeFalse(this.testDatabase.isH2(), "it has no server");
		this.proxy = new Wire(schema().jdbcUrl());
		this.pool = schema().pool((settings) -> {
			settings.setJdbcUrl(this.proxy.jdbcUrl());
			settings.setMaximumPoolSize(1);
			settings.setValidationTimeout(LIMIT.toMillis());
		});
		this.limited = new Database(this.pool, LIMIT);
		this.silentStore = new JdbcJobStore(this.limited, StoreSettings.DEFAULT);
	}

	@AfterEach
	void closeProxy() {
		if (this.proxy != null) {
			this.proxy.close();
			this.pool.close();
		}
	}

	private void goSilent() {
		assertThat(this.proxy.silence()).isPositive();
	}

	@Test
	void aReadIsGivenUpAndTheNextGoesOverANewConnection() {
		enqueue(NewJob.of("any"));
		goSilent();
		assertThat(SqlFailure.isOutage(catchThrowable(() -> this.silentStore.ready(0, Set.of(), false)))).isTrue();
		assertThat(this.silentStore.ready(0, Set.of(), false).ranges()).hasSize(1);
	}

	@Test
	void aTransactionIsGivenUpAndTheNextGoesOverANewConnection() {
		long id = enqueue(NewJob.of("any"));
		goSilent();
		assertThat(SqlFailure.isOutage(catchThrowable(() -> this.silentStore.cancel(id)))).isTrue();
		assertThat(this.silentStore.cancel(id)).isTrue();
	}

	@Test
	void aHeartbeatIsGivenUpInTimeForAnother() {
		JdbcWorkerSessions sessions = new JdbcWorkerSessions(new Database(this.pool, Duration.ZERO));
		Duration timeout = LIMIT.multipliedBy(2);
		long id = sessions.open(new NewSession("one", 10, List.of(), List.of()), timeout);
		goSilent();
		assertThat(SqlFailure.isOutage(catchThrowable(() -> sessions.heartbeat(id, 0, timeout)))).isTrue();
		assertThat(sessions.heartbeat(id, 0, Duration.ofSeconds(15))).isTrue();
		sessions.disconnect();
	}

	@Test
	void theApplicationsOwnUseOfItsConnectionsIsNotLimited() throws SQLException {
		this.silentStore.enqueue(List.of(text(NewJob.of("any"))));
		assertThat(this.silentStore.ready(0, Set.of(), false).ranges()).hasSize(1);
		try (Connection connection = this.pool.getConnection()) {
			assertThat(connection.getNetworkTimeout()).isZero();
		}
		try (Connection physical = schema().connect()) {
			TimeLimitedDataSource limiting = new TimeLimitedDataSource(new SingleConnectionDataSource(physical, true),
					LIMIT);
			Connection connection = limiting.getConnection();
			assertThat(connection.getNetworkTimeout()).isEqualTo((int) LIMIT.toMillis());
			connection.close();
			assertThat(physical.getNetworkTimeout()).as("whether the pool resets it or not").isZero();
		}
	}

	@Test
	void aShorterLimitOfTheApplicationsIsLeftAsItIs() throws SQLException {
		try (Connection physical = schema().connect()) {
			physical.setNetworkTimeout(Runnable::run, 100);
			Connection connection = new TimeLimitedDataSource(new SingleConnectionDataSource(physical, true), LIMIT)
				.getConnection();
			assertThat(connection.getNetworkTimeout()).isEqualTo(100);
		}
	}

}
