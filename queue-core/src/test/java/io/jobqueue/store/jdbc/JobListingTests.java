package io.jobqueue.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.LongStream;

import io.jobqueue.Job;
import io.jobqueue.JobCount;
import io.jobqueue.JobFilter;
import io.jobqueue.JobPage;
import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.WaitReason;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Finish;
import io.jobqueue.store.StoredJobs;
import io.jobqueue.store.jdbc.inspect.JdbcJobListing;
import io.jobqueue.test.ForEachDatabase;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

/**
 * Lists of jobs, page by page.
 */
@ForEachDatabase
class JobListingTests extends StoreTests {

	private StoredJobs jobs;

	@BeforeEach
	void createJobs() {
		this.jobs = new StoredJobs(new JdbcJobListing(this.database));
	}

	private List<Long> all(JobFilter filter, int limit) {
		List<Long> ids = new ArrayList<>();
		String after = null;
		do {
			JobPage page = this.jobs.list(filter, after, limit);
			assertThat(page.jobs()).hasSizeLessThanOrEqualTo(limit);
			page.jobs().forEach((job) -> ids.add(job.id()));
			after = page.next();
		}
		while (after != null);
		assertThat(ids).doesNotHaveDuplicates();
		return ids;
	}

	private static List<Long> backwards(List<Long> ids) {
		List<Long> reversed = new ArrayList<>(ids);
		Collections.reverse(reversed);
		return reversed;
	}

	@Test
	void liveJobsComeByTheirIdsTheNewestFirst() {
		List<Long> ids = enqueue(25);
		assertThat(all(JobFilter.of(JobState.READY), 10)).isEqualTo(backwards(ids));
		assertThat(all(JobFilter.of(JobState.READY), 25)).isEqualTo(backwards(ids));
		assertThat(all(JobFilter.of(JobState.RUNNING), 10)).isEmpty();
		assertThat(this.jobs.list(JobFilter.of(JobState.READY), null, 25).next()).isNull();
	}

	@Test
	void moreThanFewAreFoundAmongAllLiveJobs() {
		List<Long> ids = enqueue(5_100);
		assertThat(all(JobFilter.of(JobState.READY), 1_000)).isEqualTo(backwards(ids));
		long waiting = enqueue(NewJob.of("any").orderKey("k"));
		assertThat(all(JobFilter.of(JobState.WAITING), 10)).containsExactly(waiting);
		assertThat(this.jobs.count(JobFilter.of(JobState.READY))).isEqualTo(new JobCount(5_100, false));
	}

	@Test
	void endedJobsComeByTheirEndsTheLatestFirst() {
		List<Long> first = end(30);
		List<Long> second = end(30);
		List<Long> expected = new ArrayList<>(backwards(second));
		expected.addAll(backwards(first));
		// Those of one transaction have ended at the same moment.
		assertThat(all(JobFilter.of(JobState.SUCCEEDED), 7)).isEqualTo(expected);
		assertThat(all(JobFilter.of(JobState.DEAD), 7)).isEmpty();
		assertThat(this.jobs.count(JobFilter.of(JobState.SUCCEEDED))).isEqualTo(new JobCount(60, false));
	}

	private List<Long> end(int number) {
		enqueue(number);
		List<ClaimedJob> claimed = claim(number);
		this.store.finish(claimed.stream().map((job) -> new Finish.Ack(job.claim())).toList());
		return claimed.stream().map((job) -> job.claim().id()).sorted().toList();
	}

	@Test
	void withoutAStateAllComeByTheirIds() {
		List<Long> ended = end(10);
		List<Long> live = enqueue(10);
		List<Long> expected = new ArrayList<>(backwards(live));
		expected.addAll(backwards(ended));
		assertThat(all(JobFilter.all(), 3)).isEqualTo(expected);
		assertThat(this.jobs.count(JobFilter.all())).isEqualTo(new JobCount(20, false));
	}

	@Test
	void filtersAreMetTogether() {
		long mail = enqueue(NewJob.of("send").queue("mail"));
		enqueue(NewJob.of("send").queue("bulk"));
		enqueue(NewJob.of("other").queue("mail"));
		long limited = enqueue(NewJob.of("send").queue("mail").limitKey("customer-7"));
		JobFilter filter = JobFilter.of(JobState.READY).queue("mail").type("send");
		assertThat(all(filter, 10)).containsExactly(limited, mail);
		assertThat(this.jobs.count(filter)).isEqualTo(new JobCount(2, false));
		assertThat(all(filter.limitKey("customer-7"), 10)).containsExactly(limited);
		assertThat(all(filter.orderKey("k"), 10)).isEmpty();
	}

	@Test
	void timesAreThoseOfTheEndOrOfTheEnqueue() {
		long id = succeeded(NewJob.of("any"));
		long live = enqueue(NewJob.of("any"));
		Instant ended = this.store.find(id).orElseThrow().finishedAt();
		JobFilter succeeded = JobFilter.of(JobState.SUCCEEDED);
		assertThat(all(succeeded.between(ended, null), 10)).containsExactly(id);
		assertThat(all(succeeded.between(ended.plusNanos(1_000), null), 10)).isEmpty();
		assertThat(all(succeeded.between(null, ended), 10)).isEmpty();
		assertThat(all(succeeded.between(null, ended.plusNanos(1_000)), 10)).containsExactly(id);
		Instant enqueued = this.store.find(live).orElseThrow().enqueuedAt();
		assertThat(all(JobFilter.of(JobState.READY).between(enqueued, null), 10)).containsExactly(live);
		assertThat(all(JobFilter.of(JobState.READY).between(null, enqueued), 10)).isEmpty();
	}

	@Test
	void jobsOfAnOrderKeyAreFoundWhileTheyWaitAndRun() {
		List<Long> ids = enqueueAll(LongStream.range(0, 3).mapToObj((i) -> NewJob.of("any").orderKey("k")).toList());
		enqueue(NewJob.of("any").orderKey("other"));
		assertThat(all(JobFilter.of(JobState.WAITING).orderKey("k"), 10)).isEqualTo(backwards(ids));
		assertThat(all(JobFilter.all().orderKey("k"), 10)).isEqualTo(backwards(ids));
		Job job = this.jobs.list(JobFilter.of(JobState.WAITING).orderKey("k"), null, 1).jobs().get(0);
		assertThat(job.waitingFor().orElseThrow().kind()).isEqualTo(WaitReason.Kind.ORDER);
	}

	/** While no worker runs nobody puts them in their places. */
	@Test
	void jobsOfAnOrderKeyAreFoundAmongManyThatHaveJustCome() {
		List<NewJob> many = LongStream.range(0, 1_200).mapToObj((i) -> NewJob.of("any").orderKey("key-" + i)).toList();
		enqueueAll(many);
		List<Long> ids = enqueueAll(LongStream.range(0, 3).mapToObj((i) -> NewJob.of("any").orderKey("k")).toList());
		enqueueAll(many);
		assertThat(all(JobFilter.of(JobState.WAITING).orderKey("k"), 10)).isEqualTo(backwards(ids));
		assertThat(this.jobs.count(JobFilter.of(JobState.WAITING).orderKey("k")).jobs()).isEqualTo(3);
	}

	@Test
	void deadJobsAreFoundByTheirCause() {
		long dead = dead(NewJob.of("any", "the payload"));
		succeeded(NewJob.of("any"));
		long cause = this.jobs.deadCauses(10).get(0).id();
		JobFilter filter = JobFilter.of(JobState.DEAD).cause(cause);
		assertThat(all(filter, 10)).containsExactly(dead);
		assertThat(this.jobs.count(filter)).isEqualTo(new JobCount(1, false));
		assertThat(all(filter.cause(cause + 1), 10)).isEmpty();
		Job job = this.jobs.list(filter, null, 10).jobs().get(0);
		assertThat(job.payload()).as("no payload in lists").isNull();
		assertThat(job.lastError().orElseThrow().message()).isEqualTo("It failed");
		assertThat(job.lastError().orElseThrow().stackTrace()).isEmpty();
	}

	@Test
	void manyThatDiedAtOneMomentAreListedOnceEach() {
		enqueue(25);
		List<ClaimedJob> claimed = claim(25);
		this.store.finish(claimed.stream().map((job) -> new Finish.DeadLetter(job.claim(), failure())).toList());
		long cause = this.jobs.deadCauses(10).get(0).id();
		assertThat(all(JobFilter.of(JobState.DEAD).cause(cause), 4)).hasSize(25);
	}

	@Test
	void rowsOfOtherProgramsAreListedToo() {
		long flawed = succeeded(NewJob.of("any"));
		this.rows.setArchived(flawed, "available_at = '2026-01-01 00:00:00', queue = ''");
		assertThat(all(JobFilter.of(JobState.SUCCEEDED), 10)).containsExactly(flawed);
	}

	/**
	 * Such a job looks ready in its row.
	 */
	@Test
	void aJobThatRunsInARowLockQueueIsListedAsRunning() {
		long id = enqueue(NewJob.of("any"));
		this.rows.sql(
				"INSERT INTO jobqueue_start (job_id, fence, session_id, connection_id, server, started_at, deadline_at) "
						+ "VALUES (" + id + ", 1, 1, 1, '', {now}, {now})")
			.update();
		assertThat(all(JobFilter.of(JobState.RUNNING), 10)).containsExactly(id);
		assertThat(all(JobFilter.of(JobState.READY), 10)).isEmpty();
		assertThat(this.jobs.list(JobFilter.all(), null, 1).jobs().get(0).state()).isEqualTo(JobState.RUNNING);
	}

	@Test
	void aDayThatDoesNotExistHidesNoOthers() throws SQLException {
		assumeFalse(this.testDatabase.isH2(), "H2 has no such day");
		long first = succeeded(NewJob.of("any"));
		long odd = succeeded(NewJob.of("any"));
		long last = succeeded(NewJob.of("any"));
		try (Connection connection = dataSource().getConnection(); Statement lenient = connection.createStatement()) {
			lenient.execute("SET SESSION sql_mode = 'ALLOW_INVALID_DATES'");
			lenient.executeUpdate("UPDATE jobqueue_archive SET finished_at = '2026-02-30 00:00:00' WHERE id = " + odd);
			lenient.execute("SET SESSION sql_mode = DEFAULT");
		}
		assertThat(all(JobFilter.of(JobState.SUCCEEDED), 10)).contains(last, first);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "x", "1.2.3", "1.", ".1", "99999999999999999999", "1.99999999999999999999" })
	void aPlaceThatIsNoneIsRefused(String after) {
		assertThatIllegalArgumentException().isThrownBy(() -> this.jobs.list(JobFilter.of(JobState.DEAD), after, 10));
		assertThatIllegalArgumentException().isThrownBy(() -> this.jobs.list(JobFilter.of(JobState.READY), after, 10));
	}

	@Test
	void whatCannotBeMeantIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.jobs.list(JobFilter.all(), null, 0));
		assertThatIllegalArgumentException().isThrownBy(() -> this.jobs.list(JobFilter.all(), null, 1_001));
		assertThatIllegalArgumentException().isThrownBy(() -> this.jobs.deadCauses(0));
		assertThatIllegalArgumentException().isThrownBy(() -> JobFilter.of(JobState.READY).cause(1L));
		assertThatIllegalArgumentException().isThrownBy(() -> JobFilter.all().queue("no such name!"));
		assertThatIllegalArgumentException()
			.isThrownBy(() -> JobFilter.all().between(Instant.EPOCH.plus(Duration.ofDays(1)), Instant.EPOCH));
	}

	@Test
	void countsAreWrittenForPeople() {
		assertThat(new JobCount(100_000, true)).hasToString("100,000+");
		assertThat(new JobCount(7, false)).hasToString("7");
	}

}
