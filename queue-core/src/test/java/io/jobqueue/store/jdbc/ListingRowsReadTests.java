package io.jobqueue.store.jdbc;

import java.sql.SQLException;
import java.util.List;

import io.jobqueue.JobCount;
import io.jobqueue.JobFilter;
import io.jobqueue.JobPage;
import io.jobqueue.JobState;
import io.jobqueue.Jobs;
import io.jobqueue.database.Database;
import io.jobqueue.store.StoredJobs;
import io.jobqueue.store.jdbc.inspect.JdbcJobListing;
import io.jobqueue.test.WatchedDataSource.Executed;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How many rows lists of jobs read, with few and many live jobs and as many that have
 * ended, half of them dead.
 */
class ListingRowsReadTests extends ReadyJobsTests {

	private static final long CAUSE = 11;

	@BeforeParameterizedClassInvocation
	static void fillArchive(int readyJobs) throws SQLException {
		execute("""
				INSERT INTO jobqueue_archive (id, state, finished_at, queue, type, priority, available_at, fence, attempt,
				    max_attempts, timeout_ms, crashes, session_id, claimed_at, enqueued_at, large_payload)
				SELECT id + 100000000, CASE WHEN id % 2 = 0 THEN 3 ELSE 4 END,
				    TIMESTAMPADD(SECOND, id DIV 100, '2025-01-01 00:00:00'), queue, type, priority, available_at, 1, 1,
				    0, 0, 0, 0, enqueued_at, enqueued_at, 0
				FROM jobqueue_job""");
		execute("""
				INSERT INTO jobqueue_dead_job (job_id, cause_id, queue, type, died_at)
				SELECT id, %d, queue, type, finished_at FROM jobqueue_archive WHERE state = 4""".formatted(CAUSE));
		execute("ANALYZE TABLE jobqueue_archive, jobqueue_dead_job");
	}

	static List<JobFilter> filters() {
		return List.of(JobFilter.all(), JobFilter.of(JobState.READY), JobFilter.of(JobState.SUCCEEDED),
				JobFilter.of(JobState.DEAD), JobFilter.of(JobState.DEAD).cause(CAUSE), JobFilter.of(JobState.RUNNING),
				JobFilter.of(JobState.WAITING), JobFilter.of(JobState.EXPIRED));
	}

	/**
	 * Of few jobs, up to 5,000 ids are read and sorted.
	 */
	@ParameterizedTest
	@MethodSource("filters")
	void aPageReadsFewRowsHoweverManyThereAre(JobFilter filter) {
		String middle = jobs(new Database(this.watched)).list(filter, null, 20).next();
		for (String after : new String[] { null, middle }) {
			assertThat(rowsReadIn((database) -> jobs(database).list(filter, after, 50))).as("after %s", after)
				.isLessThan((this.readyJobs == 1_000) ? 12_000 : 7_000);
		}
	}

	@ParameterizedTest
	@MethodSource("filters")
	void aFilterThatNothingMeetsStopsAfterSomeThousandRows(JobFilter filter) {
		assertThat(rowsReadIn((database) -> {
			JobPage page = jobs(database).list(filter.type("none"), null, 50);
			assertThat(page.jobs()).isEmpty();
		})).isLessThan(50_000);
	}

	@ParameterizedTest
	@MethodSource("filters")
	void aCountStopsAt100000(JobFilter filter) {
		// The server reads each row in its index, and again to count it.
		assertThat(rowsReadIn((database) -> jobs(database).count(filter))).isLessThan(250_000);
	}

	@Test
	void causesAreCountedUpTo10000() {
		assertThat(rowsReadIn((database) -> {
			JobCount count = jobs(database).deadCauses(10).get(0).jobs();
			assertThat(count.more()).isEqualTo(this.readyJobs == MANY);
		})).isLessThan(25_000);
	}

	@Test
	void theIndexesHaveTheOrder() throws SQLException {
		for (JobFilter filter : List.of(JobFilter.all(), JobFilter.of(JobState.SUCCEEDED),
				JobFilter.of(JobState.DEAD))) {
			jobs(new Database(this.watched)).list(filter, null, 50);
		}
		List<Executed> lists = this.watched.executed()
			.stream()
			.filter((executed) -> executed.sql().contains("AS entry_at"))
			.toList();
		assertThat(lists).isNotEmpty();
		for (Executed list : lists) {
			assertThat(explain(list)).allSatisfy((plan) -> {
				if (plan.table().startsWith("jobqueue_")) {
					assertThat(plan.key()).isIn("PRIMARY", "jobqueue_archive_finished");
				}
				assertThat(plan.extra()).doesNotContain("filesort", "temporary");
			});
		}
	}

	private static Jobs jobs(Database database) {
		return new StoredJobs(new JdbcJobListing(database));
	}

}
