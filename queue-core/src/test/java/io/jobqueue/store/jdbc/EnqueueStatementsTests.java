package io.jobqueue.store.jdbc;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import io.jobqueue.NewJob;
import io.jobqueue.store.EnqueuedJob;
import io.jobqueue.test.ForEachDatabase;
import io.jobqueue.test.WatchedDataSource;
import org.junit.jupiter.api.Test;

import org.springframework.dao.DataAccessException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * How a batch of new jobs becomes statements.
 */
@ForEachDatabase
class EnqueueStatementsTests extends StoreTests {

	private final List<WatchedDataSource> watched = new ArrayList<>();

	private JdbcJobStore watchedStore() {
		WatchedDataSource source = new WatchedDataSource(dataSource());
		this.watched.add(source);
		return new JdbcJobStore(new Database(source), StoreSettings.DEFAULT);
	}

	private List<WatchedDataSource.Executed> executed(String start) {
		return this.watched.get(0).executed().stream().filter((one) -> one.sql().startsWith(start)).toList();
	}

	@Test
	void aStatementIsBoundedByCount() {
		watchedStore().enqueue(IntStream.range(0, 1_001).mapToObj((i) -> text(NewJob.of("any", "p"))).toList());
		assertThat(executed("INSERT INTO jobqueue_job")).hasSize(3);
	}

	@Test
	void aStatementIsBoundedBySize() {
		String payload = "x".repeat(4_000);
		watchedStore().enqueue(IntStream.range(0, 500).mapToObj((i) -> text(NewJob.of("any", payload))).toList());
		List<WatchedDataSource.Executed> inserts = executed("INSERT INTO jobqueue_job");
		assertThat(inserts).hasSize(2);
		for (WatchedDataSource.Executed insert : inserts) {
			assertThat(insert.parameters().values().stream().filter(payload::equals).count() * 4_000)
				.isLessThan(1_100_000);
		}
	}

	@Test
	void uniqueKeysAreTakenInSortedOrder() {
		List<String> keys = List.of("m", "b", "z", "a", "y");
		watchedStore().enqueue(keys.stream().map((key) -> text(NewJob.of("any").uniqueKey(key))).toList());
		List<WatchedDataSource.Executed> upserts = new ArrayList<>(executed("INSERT INTO jobqueue_unique_key"));
		upserts.addAll(executed("MERGE INTO jobqueue_unique_key"));
		assertThat(upserts.get(0).parameters().values().stream().filter(keys::contains).toList())
			.isEqualTo(List.of("a", "b", "m", "y", "z"));
	}

	@Test
	void aBatchWhoseLastStatementFailsLeavesNothing() {
		assumeTrue(!this.testDatabase.isH2(), "H2 stores payloads of any size");
		List<EnqueuedJob> jobs = new ArrayList<>(
				IntStream.range(0, 700).mapToObj((i) -> text(NewJob.of("any", "p").uniqueKey("k" + i))).toList());
		jobs.add(text(NewJob.of("any", "x".repeat(17 * 1024 * 1024))));
		assertThatExceptionOfType(DataAccessException.class).isThrownBy(() -> this.store.enqueue(jobs));
		assertThat(this.rows.count("jobqueue_job")).isZero();
		assertThat(this.rows.count("jobqueue_unique_key")).isZero();
	}

}
