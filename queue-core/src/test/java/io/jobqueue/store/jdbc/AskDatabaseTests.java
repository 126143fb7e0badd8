package io.jobqueue.store.jdbc;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import com.zaxxer.hikari.HikariDataSource;
import io.jobqueue.NewJob;
import io.jobqueue.database.Database;
import io.jobqueue.ClaimStrategy;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Deadlines;
import io.jobqueue.store.EnqueuedJob;
import io.jobqueue.store.Finish;
import io.jobqueue.store.ReadyRange;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.poison.Suspicion.Degree;
import io.jobqueue.test.ClaimRequests;
import io.jobqueue.test.TestDatabase;
import io.jobqueue.test.TestSchema;
import io.jobqueue.test.Together;
import io.jobqueue.test.WatchedDataSource;
import io.jobqueue.test.Wire;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Which strategy is taken where nobody has said one: servers that skip what is locked,
 * and servers that accept SKIP LOCKED and wait all the same. The wire leaves the words
 * out.
 */
class AskDatabaseTests {

	private static final ReadyRange RANGE = new ReadyRange("default", 4, 0, Degree.NONE, false, Duration.ZERO);

	@ParameterizedTest
	@EnumSource(names = { "MYSQL", "MARIADB" })
	void aServerThatSkipsWhatIsLockedIsClaimedFromBySkipLocked(TestDatabase server) {
		assumeTrue(server.isAvailable(), server::whyNot);
		try (TestSchema schema = server.create()) {
			assertThat(statementsOfAClaim(schema.dataSource()))
				.anyMatch((sql) -> sql.contains("ORDER BY available_at") && sql.contains("FOR UPDATE SKIP LOCKED"));
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "MYSQL", "MARIADB" })
	void aServerThatWaitsForWhatIsLockedIsClaimedFromByComparing(TestDatabase server) {
		assumeTrue(server.isAvailable(), server::whyNot);
		try (TestSchema schema = server.create();
				Wire wire = new Wire(schema.jdbcUrl());
				HikariDataSource pool = schema.pool((settings) -> settings.setJdbcUrl(wire.jdbcUrl()))) {
			wire.omit(" SKIP LOCKED");
			assertThat(statementsOfAClaim(pool)).anyMatch((sql) -> sql.contains("AND fence = 0"))
				.noneMatch((sql) -> sql.contains("ORDER BY available_at") && sql.contains("FOR UPDATE"));
		}
	}

	private static List<String> statementsOfAClaim(javax.sql.DataSource dataSource) {
		WatchedDataSource watched = new WatchedDataSource(dataSource);
		JdbcJobStore store = store(new Database(watched));
		store.enqueue(List.of(new EnqueuedJob(NewJob.of("any"), null)));
		store.prepareClaims();
		assertThat(claim(store, 1, 10)).hasSize(1);
		return watched.executed().stream().map(WatchedDataSource.Executed::sql).toList();
	}

	private static JdbcJobStore store(Database database) {
		return new JdbcJobStore(database, StoreSettings.DEFAULT.withClaim(ClaimStrategy.AUTO));
	}

	private static List<ClaimedJob> claim(JdbcJobStore store, long session, int limit) {
		return store.claim(ClaimRequests.any(session, List.of(RANGE), limit, Deadlines.always(Duration.ofMinutes(1))));
	}

	@ParameterizedTest
	@EnumSource(names = { "MYSQL", "MARIADB" })
	void workersOfAServerThatWaitsNeverHoldOneJob(TestDatabase server) {
		assumeTrue(server.isAvailable(), server::whyNot);
		try (TestSchema schema = server.create();
				Wire wire = new Wire(schema.jdbcUrl());
				HikariDataSource pool = schema.pool((settings) -> settings.setJdbcUrl(wire.jdbcUrl()))) {
			wire.omit(" SKIP LOCKED");
			JdbcJobStore enqueuing = store(new Database(pool));
			List<Long> ids = enqueuing
				.enqueue(IntStream.range(0, 2_000).mapToObj((i) -> new EnqueuedJob(NewJob.of("any"), null)).toList())
				.ids();
			List<List<Long>> done = Together.run(4, (number) -> {
				JdbcJobStore store = store(new Database(pool));
				List<Long> mine = new ArrayList<>();
				while (!store.ready(0, List.of(), true).ranges().isEmpty()) {
					List<ClaimedJob> jobs = claim(store, number + 1L, 30);
					assertThat(store.finish(jobs.stream().map((job) -> new Finish.Ack(job.claim())).toList()))
						.isEmpty();
					jobs.forEach((job) -> mine.add(job.claim().id()));
				}
				return mine;
			});
			assertThat(done.stream().flatMap(List::stream)).containsExactlyInAnyOrderElementsOf(ids);
		}
	}

}
