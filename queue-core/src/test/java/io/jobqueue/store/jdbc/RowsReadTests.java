package io.jobqueue.store.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

import com.zaxxer.hikari.HikariDataSource;
import io.jobqueue.database.Database;
import io.jobqueue.poison.Suspicion.Degree;
import io.jobqueue.store.OverdueJob;
import io.jobqueue.store.ReadyRange;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.test.WatchedDataSource.Executed;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * By which plan a claim finds its jobs, and how many rows the statements read that run
 * all the time, with few and many ready jobs.
 */
class RowsReadTests extends ReadyJobsTests {

	@ParameterizedTest(name = "last in first out: {0}")
	@ValueSource(booleans = { false, true })
	void aClaimReadsItsIndexInOrderAndTakesByPrimaryKey(boolean lifo) throws SQLException {
		claim(this.store, List.of(new ReadyRange("default", 4, 0, Degree.NONE, lifo, Duration.ZERO)), 100);
		List<Executed> selects = statements("SELECT id, fence, type");
		assertThat(selects).hasSize(1);
		assertReadInOrder(selects.get(0));
		List<Executed> updates = statements("UPDATE jobqueue_job");
		assertThat(updates).hasSize(1);
		assertThat(explain(updates.get(0))).extracting(Plan::key).containsExactly("PRIMARY");
	}

	@Test
	void aClaimThatStartsBehindTheLastOneReadsTheIndexInOrderFromThere() throws SQLException {
		assumeTrue(this.readyJobs > 1, "there is nothing behind a single job");
		// A claim starts behind the last one only for a moment after it, which a busy
		// machine may let pass.
		List<Executed> behind = List.of();
		for (int i = 0; i < 8 && behind.isEmpty(); i++) {
			assertThat(claim(this.store, List.of(RANGE), 100)).hasSize(100);
			behind = statements("SELECT id, fence, type").stream()
				.filter((select) -> select.sql().contains("available_at > ?"))
				.toList();
		}
		assertThat(behind).hasSize(1);
		assertReadInOrder(behind.get(0));
		assertThat(explainedAsTree(behind.get(0))).contains("< id) OR (");
	}

	private static void assertReadInOrder(Executed select) throws SQLException {
		for (Plan plan : explain(select)) {
			assertThat(plan.extra()).doesNotContain("filesort", "temporary");
			if ("jobqueue_job".equals(plan.table())) {
				assertThat(plan.key()).isEqualTo("jobqueue_job_claim");
			}
		}
	}

	/**
	 * The tree shows the ranges: one behind the id at the same time, one behind that
	 * time.
	 */
	private static String explainedAsTree(Executed executed) throws SQLException {
		try (Connection connection = schema().connect();
				PreparedStatement statement = executed.prepare(connection, "EXPLAIN FORMAT=TREE ");
				ResultSet row = statement.executeQuery()) {
			row.next();
			return row.getString(1);
		}
	}

	private List<Executed> statements(String start) {
		return this.watched.executed().stream().filter((statement) -> statement.sql().startsWith(start)).toList();
	}

	/**
	 * With a thousand jobs it does not matter how they are read. The first read of a
	 * store reads all types too, for their limits.
	 */
	@Test
	void listingTheRangesReadsAFewRowsOfEach() {
		assertThat(rowsRead((cheap) -> {
			List<ReadyRange> ranges = cheap.ready(0, Set.of(), false).ranges();
			assertThat(ranges).anyMatch((range) -> range.priority() == 4 && range.isDue());
			assertThat(ranges.stream().anyMatch((range) -> range.priority() == 9)).isEqualTo(this.readyJobs >= 10);
		})).isLessThan((this.readyJobs > 1_000) ? 200 : 5_000);
	}

	@Test
	void aClaimReadsHardlyMoreThanItTakes() {
		assertThat(rowsRead(
				(cheap) -> assertThat(claim(cheap, List.of(RANGE), 100)).hasSize(Math.min(100, this.readyJobs))))
			.isLessThan(1_000);
	}

	@Test
	void aClaimBehindTheLastOneReadsHardlyMoreThanItTakes() {
		assumeTrue(this.readyJobs > 1, "there is nothing behind a single job");
		assertThat(rowsRead((cheap) -> {
			for (int i = 0; i < 5; i++) {
				assertThat(claim(cheap, List.of(RANGE), 100)).hasSize(100);
			}
		})).isLessThan(5_000);
	}

	@Test
	void aClaimReadsNoneOfTheDelayedJobs() {
		assertThat(rowsRead((cheap) -> assertThat(
				claim(cheap, List.of(new ReadyRange("default", 9, 0, Degree.NONE, false, Duration.ZERO)), 100))
			.isEmpty())).isLessThan(10);
	}

	@Test
	void whomToRescueIsFoundInTheRangeOfRunningJobs() throws SQLException {
		this.store.overdue(0, 10);
		List<Executed> selects = statements("SELECT j.id, j.fence");
		assertThat(selects).hasSize(1);
		assertThat(explain(selects.get(0))).extracting(Plan::key).containsExactly("jobqueue_job_claim", "PRIMARY");
	}

	@Test
	void findingWhomToRescueReadsRunningJobsOnly() {
		assertThat(rowsRead((cheap) -> assertThat(cheap.overdue(0, 100)).hasSize(50).allMatch(OverdueJob::orphaned)))
			.isLessThan(1_000);
		assertThat(rowsRead((cheap) -> assertThat(cheap.overdue(0, 10)).hasSize(10))).isLessThan(500);
	}

	@Test
	void listingWhatASessionHoldsReadsRunningJobsOnly() {
		assertThat(rowsRead((cheap) -> assertThat(cheap.heldBy(ReadyJobs.SESSION, false)).hasSize(50)))
			.isLessThan(1_000);
	}

	/**
	 * Counting looks at every job, but at its index entry only and once, in the order of
	 * the index.
	 */
	@Test
	void theDepthSampleReadsEachIndexEntryOnceAndNoRow() throws SQLException {
		new JdbcQueues(new Database(this.watched)).depths();
		List<Executed> selects = statements("SELECT part.queue");
		assertThat(selects).hasSize(1);
		List<Plan> ofJobs = explain(selects.get(0)).stream()
			.filter((plan) -> "jobqueue_job_claim".equals(plan.key()))
			.toList();
		assertThat(ofJobs).isNotEmpty().allMatch((plan) -> plan.extra().contains("Using index"));
		assertThat(ofJobs).noneMatch((plan) -> plan.extra().contains("temporary") || plan.extra().contains("filesort"));
		long live = count("SELECT COUNT(*) FROM jobqueue_job");
		try (HikariDataSource single = schema().pool((settings) -> settings.setMaximumPoolSize(1))) {
			Database database = new Database(single);
			JdbcQueues queues = new JdbcQueues(database);
			long before = handlerReads(database);
			assertThat(queues.depths()).isNotEmpty();
			assertThat(handlerReads(database) - before).isBetween(live, live + 1_000);
		}
	}

	private static long count(String select) throws SQLException {
		try (Connection connection = schema().connect();
				PreparedStatement statement = connection.prepareStatement(select);
				ResultSet row = statement.executeQuery()) {
			row.next();
			return row.getLong(1);
		}
	}

	@Test
	void expiringReadsExpiredJobsOnly() throws SQLException {
		assertThat(rowsRead((cheap) -> assertThat(cheap.expire(null, 100).changed()).isZero())).isLessThan(10);
		enqueueTail(20, Duration.ofHours(1));
		execute("UPDATE jobqueue_job SET expires_at = '2025-01-01 00:00:00' WHERE state = 0 AND queue = 'tail'");
		assertThat(rowsRead((cheap) -> assertThat(cheap.expire(null, 100).changed()).isEqualTo(20))).isLessThan(500);
	}

	@Test
	void lookingForStatesThatDoNotExistReadsThoseOnly() {
		assertThat(rowsRead((cheap) -> assertThat(cheap.deadLetterUnknownStates(100)).isZero())).isLessThan(10);
	}

	private static long rowsRead(Consumer<JdbcJobStore> calls) {
		return rowsReadIn((database) -> calls.accept(new JdbcJobStore(database, StoreSettings.DEFAULT)));
	}

}
