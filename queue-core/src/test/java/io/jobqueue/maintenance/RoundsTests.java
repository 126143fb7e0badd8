package io.jobqueue.maintenance;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.database.Database;
import io.jobqueue.store.Keep;
import io.jobqueue.store.EnqueuedJob;
import io.jobqueue.store.MaintenanceStore;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.store.jdbc.JdbcJobStore;
import io.jobqueue.test.ForEachDatabase;
import io.jobqueue.test.TestDatabase;
import io.jobqueue.test.TestSchema;
import io.jobqueue.test.WatchedDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Rounds of more than one batch, which go on where the last batch stopped.
 */
@ForEachDatabase
class RoundsTests {

	private static final LocalDateTime PAST = LocalDateTime.of(2025, 1, 1, 0, 0);

	@Parameter
	TestDatabase server;

	private TestSchema schema;

	private WatchedDataSource watched;

	private JdbcTemplate sql;

	private JdbcJobStore store;

	@BeforeEach
	void create() {
		assumeTrue(this.server.isAvailable(), this.server::whyNot);
		this.schema = this.server.create();
		this.sql = new JdbcTemplate(this.schema.dataSource());
		this.watched = new WatchedDataSource(this.schema.dataSource());
		this.store = new JdbcJobStore(new Database(this.watched), StoreSettings.DEFAULT);
	}

	@AfterEach
	void close() {
		if (this.schema != null) {
			this.schema.close();
		}
	}

	private List<Long> enqueue(int jobs, String prefix) {
		return this.store
			.enqueue(IntStream.range(0, jobs)
				.mapToObj((i) -> new EnqueuedJob(NewJob.of("any").uniqueKey(prefix + i), null))
				.toList())
			.ids();
	}

	private Prune prune() {
		return new Prune(this.store, () -> "any", Map.of(JobState.EXPIRED, Keep.of(Duration.ofDays(1))),
				Duration.ofMinutes(1), null);
	}

	@Test
	void keysBehindThoseOfManyLiveJobsArePruned() {
		enqueue(1_100, "a-live-");
		this.store.cancel(enqueue(1, "ended-").get(0));
		this.sql.update("UPDATE jobqueue_unique_key SET expires_at = ?", PAST);
		assertThat(prune().runOnce()).as("keys are not counted as jobs").isZero();
		assertThat(this.sql.queryForList("SELECT unique_key FROM jobqueue_unique_key", String.class)).hasSize(1_100)
			.doesNotContain("ended-0");
	}

	/**
	 * As those with large payloads may be, for Group Replication or for the patience of
	 * the network.
	 */
	@Test
	void batchesThatCannotBeDeletedAreMadeSmallerAndKeysArePrunedAllTheSame() {
		List<Long> ids = enqueue(20, "any-");
		this.store.cancel(ids.get(0));
		this.sql.update("UPDATE jobqueue_unique_key SET expires_at = ?", PAST);
		List<Integer> sizes = new ArrayList<>();
		MaintenanceStore refusing = (MaintenanceStore) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { MaintenanceStore.class }, (proxy, called, arguments) -> {
					if (called.getName().equals("prune")) {
						sizes.add((Integer) arguments[3]);
						if (sizes.size() < 12) {
							throw new DataAccessResourceFailureException("too large");
						}
					}
					return called.invoke(this.store, arguments);
				});
		Prune prune = new Prune(refusing, () -> "any", Map.of(JobState.CANCELLED, Keep.of(Duration.ofDays(1))),
				Duration.ofMinutes(1), null);
		assertThatThrownBy(prune::runOnce).isInstanceOf(DataAccessResourceFailureException.class);
		assertThat(this.sql.queryForList("SELECT unique_key FROM jobqueue_unique_key", String.class)).hasSize(19);
		this.sql.update("UPDATE jobqueue_archive SET finished_at = ?", PAST);
		while (sizes.size() < 11) {
			assertThatThrownBy(prune::runOnce).isInstanceOf(DataAccessResourceFailureException.class);
		}
		assertThat(prune.runOnce()).isEqualTo(1);
		assertThat(sizes).startsWith(500, 250, 125).endsWith(1);
		IntStream.range(0, 9).forEach((round) -> prune.runOnce());
		assertThat(sizes).as("what failed may have been something else").endsWith(256, 500);
	}

	@Test
	void jobsExpireAndArePrunedFromWhereTheLastBatchStopped() {
		List<Long> ids = enqueue(1_100, "any-");
		this.sql.update("UPDATE jobqueue_job SET expires_at = TIMESTAMPADD(SECOND, id, '2025-01-01 00:00:00')");
		assertThat(new Expire(this.store, () -> true, Duration.ofMinutes(1)).runOnce()).isEqualTo(1_100);
		assertPlaces("expires_at >=", ids);
		this.sql.update("UPDATE jobqueue_archive SET finished_at = TIMESTAMPADD(SECOND, id, '2025-01-01 00:00:00')");
		assertThat(prune().runOnce()).isEqualTo(1_100);
		assertPlaces("finished_at >=", ids);
	}

	/**
	 * The third batch must not begin where the entries of the first two were.
	 */
	private void assertPlaces(String condition, List<Long> ids) {
		List<String> statements = this.watched.executed()
			.stream()
			.filter((statement) -> statement.sql().contains(condition) && statement.sql().contains("FOR UPDATE"))
			.map((statement) -> statement.parameters().values().toString())
			.toList();
		assertThat(statements).hasSize(3);
		for (int batch = 1; batch < 3; batch++) {
			assertThat(statements.get(batch)).contains(PAST.plusSeconds(ids.get(batch * 500 - 1)).toString());
		}
	}

}
