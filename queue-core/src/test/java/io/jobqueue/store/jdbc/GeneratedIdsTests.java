package io.jobqueue.store.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import com.zaxxer.hikari.HikariDataSource;
import io.jobqueue.NewJob;
import io.jobqueue.database.Database;
import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Deadlines;
import io.jobqueue.store.EnqueuedJob;
import io.jobqueue.store.Finish;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.store.WorkerSessions.NewSession;
import io.jobqueue.test.ClaimRequests;
import io.jobqueue.test.TestDatabase.Driver;
import io.jobqueue.test.TestDatabase;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The ids that an enqueue returns are those of its rows, whichever driver is used and
 * whatever its URL says: drivers differ in the keys that they return for several rows,
 * and in the counts that they return for batches.
 */
@ParameterizedClass(name = "{0}")
@EnumSource(value = TestDatabase.class, names = { "MYSQL", "MARIADB" })
class GeneratedIdsTests extends StoreTests {

	private static final List<String> PARAMETERS = List.of(
			"sessionVariables=auto_increment_increment=7,auto_increment_offset=3", "rewriteBatchedStatements=true",
			"useServerPrepStmts=true", "useAffectedRows=true");

	static Stream<Arguments> connections() {
		List<Arguments> all = new ArrayList<>();
		for (Driver driver : Driver.values()) {
			for (int chosen = 0; chosen < 1 << PARAMETERS.size(); chosen++) {
				int bits = chosen;
				all.add(Arguments.of(driver,
						String.join("&",
								IntStream.range(0, PARAMETERS.size())
									.filter((i) -> (bits & 1 << i) != 0)
									.mapToObj(PARAMETERS::get)
									.toList())));
			}
		}
		return all.stream();
	}

	@ParameterizedTest(name = "{0} {1}")
	@MethodSource("connections")
	void idsAreThoseOfTheRows(Driver driver, String parameters) {
		try (HikariDataSource pool = schema().pool(driver, parameters)) {
			JdbcJobStore store = new JdbcJobStore(new Database(pool), StoreSettings.DEFAULT);
			for (int jobs : new int[] { 1, 2, 3, 37 }) {
				List<EnqueuedJob> batch = IntStream.range(0, jobs).mapToObj(GeneratedIdsTests::job).toList();
				List<Long> ids = store.enqueue(batch).ids();
				assertThat(ids).hasSize(jobs).doesNotHaveDuplicates();
				for (int i = 0; i < jobs; i++) {
					assertThat(store.find(ids.get(i)).orElseThrow().payload()).as("job %s of %s", i, jobs)
						.isEqualTo(batch.get(i).payload());
				}
			}
		}
	}

	private static EnqueuedJob job(int number) {
		return text(NewJob.of("any", number + ((number % 5 == 1) ? "x".repeat(5_000) : "")));
	}

	@ParameterizedTest(name = "{0} {1}")
	@MethodSource("connections")
	void uniqueKeysAndBatchesWorkToo(Driver driver, String parameters) {
		try (HikariDataSource pool = schema().pool(driver, parameters)) {
			JdbcJobStore store = new JdbcJobStore(new Database(pool), StoreSettings.DEFAULT);
			List<EnqueuedJob> batch = IntStream.range(0, 20)
				.mapToObj((number) -> text(NewJob.of("any", "p" + number).uniqueKey("key-" + number % 10)))
				.toList();
			List<Long> ids = store.enqueue(batch).ids();
			assertThat(ids.subList(10, 20)).isEqualTo(ids.subList(0, 10));
			assertThat(store.enqueue(batch).ids()).isEqualTo(ids);
			List<Claim> claims = store
				.claim(ClaimRequests.any(SESSION, List.of(range("default", 4)), 20, Deadlines.always(DEADLINE)))
				.stream()
				.map(ClaimedJob::claim)
				.toList();
			assertThat(claims).extracting(Claim::id).containsExactlyElementsOf(ids.subList(0, 10));
			assertThat(store.finish(finishes(claims))).isEmpty();
			assertThat(this.rows.count("jobqueue_error")).isEqualTo(5);
			assertThat(this.rows.count("jobqueue_archive")).isEqualTo(5);
			assertThat(this.rows.count("jobqueue_job")).isEqualTo(5);
		}
	}

	private static List<Finish> finishes(List<Claim> claims) {
		Finish[] finishes = new Finish[claims.size()];
		Arrays.setAll(finishes, (i) -> (i % 2 == 0) ? new Finish.Ack(claims.get(i))
				: new Finish.Retry(claims.get(i), Duration.ofMinutes(1), failure()));
		return List.of(finishes);
	}

	@ParameterizedTest(name = "{0} {1}")
	@MethodSource("connections")
	void sessionsWorkToo(Driver driver, String parameters) {
		try (HikariDataSource pool = schema().pool(driver, parameters)) {
			JdbcWorkerSessions sessions = new JdbcWorkerSessions(new Database(pool));
			long id = sessions.open(new NewSession("one", 1, List.of(), List.of()), Duration.ofMinutes(1));
			assertThat(sessions.list()).singleElement().satisfies((session) -> assertThat(session.id()).isEqualTo(id));
			assertThat(sessions.heartbeat(id, 1, Duration.ofMinutes(1))).isTrue();
			assertThat(sessions.heartbeat(id, 1, Duration.ofMinutes(1))).isTrue();
			assertThat(sessions.heartbeat(id + 1, 1, Duration.ofMinutes(1))).isFalse();
			sessions.disconnect();
		}
	}

}
