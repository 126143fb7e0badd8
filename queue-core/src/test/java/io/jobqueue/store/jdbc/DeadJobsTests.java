package io.jobqueue.store.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.jobqueue.DeadCause;
import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.maintenance.SweepDeadJobs;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Failure;
import io.jobqueue.store.Finish;
import io.jobqueue.store.jdbc.inspect.JdbcJobListing;
import io.jobqueue.store.jdbc.prune.JdbcDeadJobs;
import io.jobqueue.test.ForEachDatabase;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

/**
 * What is kept of the causes of dead jobs, and how many there are of each.
 */
@ForEachDatabase
class DeadJobsTests extends StoreTests {

	private JdbcJobListing listing;

	private SweepDeadJobs sweep;

	@BeforeEach
	void createListing() {
		this.listing = new JdbcJobListing(this.database);
		this.sweep = new SweepDeadJobs(new JdbcDeadJobs(this.database), Duration.ofMinutes(1));
	}

	private List<Long> die(int jobs, String message) {
		enqueue(jobs);
		List<ClaimedJob> claimed = claim(jobs);
		this.store.finish(claimed.stream()
			.map((job) -> new Finish.DeadLetter(job.claim(), failure(message + " " + job.claim().id())))
			.toList());
		return claimed.stream().map((job) -> job.claim().id()).toList();
	}

	private static Failure failure(String message) {
		return new Failure(1, "x.Y", message, "x\n\tat com.acme.A.b(A.java:1)\n");
	}

	@Test
	void jobsThatDiedOfTheSameAreCountedTogether() {
		List<Long> first = die(700, "No order");
		die(3, "No stock for");
		List<DeadCause> causes = this.listing.deadCauses(10);
		assertThat(causes).extracting(DeadCause::message).containsExactly("No order #", "No stock for #");
		assertThat(causes).extracting((cause) -> cause.jobs().jobs()).containsExactly(700L, 3L);
		assertThat(causes.get(0).place()).isEqualTo("com.acme.A.b");
		assertThat(causes.get(0).errorType()).isEqualTo("x.Y");
		assertThat(causes.get(0).lastAt()).isAfterOrEqualTo(causes.get(0).firstAt());
		assertThat(this.listing.deadCauses(1)).hasSize(1);
		assertThat(first).hasSize(700);
		assertCountsAreRight();
	}

	@Test
	void aRedriveTakesThemOff() {
		List<Long> ids = die(5, "No order");
		assertThat(this.store.redrive(ids.subList(0, 2))).isEqualTo(2);
		assertThat(this.listing.deadCauses(10)).extracting((cause) -> cause.jobs().jobs()).containsExactly(3L);
		assertThat(this.store.redrive(ids)).isEqualTo(3);
		assertThat(this.listing.deadCauses(10)).isEmpty();
		assertThat(this.rows.count("jobqueue_dead_job")).isZero();
	}

	@Test
	void aJobThatDiesAgainIsCountedOnceUnderItsNewCause() {
		List<Long> ids = die(1, "No order");
		this.store.redrive(ids);
		ClaimedJob again = claim(1).get(0);
		this.store.finish(List.of(new Finish.DeadLetter(again.claim(), failure("No stock"))));
		assertThat(this.listing.deadCauses(10)).extracting(DeadCause::message).containsExactly("No stock");
		assertCountsAreRight();
	}

	@Test
	void pruningTakesThemOff() {
		die(5, "No order");
		succeeded(NewJob.of("any"));
		this.store.prune(JobState.SUCCEEDED, LATEST, null, 100);
		assertThat(this.listing.deadCauses(10)).extracting((cause) -> cause.jobs().jobs()).containsExactly(5L);
		assertThat(this.store.prune(JobState.DEAD, LATEST, null, 3).changed()).isEqualTo(3);
		assertThat(this.listing.deadCauses(10)).extracting((cause) -> cause.jobs().jobs()).containsExactly(2L);
		this.store.deleteArchived(this.store.archived(JobState.DEAD, LATEST, null, 1).jobs());
		assertThat(this.listing.deadCauses(10)).extracting((cause) -> cause.jobs().jobs()).containsExactly(1L);
		assertCountsAreRight();
	}

	@Test
	void onlyDeadJobsAreKept() {
		succeeded(NewJob.of("any"));
		long cancelled = enqueue(NewJob.of("any"));
		this.store.cancel(cancelled);
		assertThat(this.rows.count("jobqueue_dead_job")).isZero();
	}

	@Test
	void jobsThatAnotherProgramMadeDeadAreFoundByTheSweep() {
		List<Long> ids = die(3, "No order");
		this.rows.sql("DELETE FROM jobqueue_dead_job WHERE job_id <> " + ids.get(0)).update();
		this.rows.sql("DELETE FROM jobqueue_error WHERE job_id = " + ids.get(2)).update();
		this.sweep.runOnce();
		this.sweep.runOnce();
		assertThat(this.rows.count("jobqueue_dead_job")).isEqualTo(3);
		assertThat(this.listing.deadCauses(10)).extracting(DeadCause::errorType, (cause) -> cause.jobs().jobs())
			.containsExactly(tuple("x.Y", 2L), tuple("unknown", 1L));
		assertCountsAreRight();
	}

	@Test
	void jobsThatAnotherProgramTookAwayAreForgottenByTheSweep() {
		List<Long> ids = die(3, "No order");
		this.rows.sql("DELETE FROM jobqueue_archive WHERE id <> " + ids.get(0)).update();
		assertThat(this.sweep.runOnce()).isEqualTo(2);
		assertThat(this.listing.deadCauses(10)).extracting((cause) -> cause.jobs().jobs()).containsExactly(1L);
		assertCountsAreRight();
	}

	@Test
	void manyMessagesOfOnePlaceAreOneCause() {
		enqueue(60);
		List<ClaimedJob> claimed = claim(60);
		List<Finish.DeadLetter> dead = new ArrayList<>();
		for (int i = 0; i < 60; i++) {
			dead.add(new Finish.DeadLetter(claimed.get(i).claim(),
					failure("No user " + (char) ('a' + i / 8) + (char) ('a' + i % 8) + "x")));
		}
		this.store.finish(dead);
		assertThat(this.listing.deadCauses(100)).hasSize(51)
			.first()
			.satisfies((cause) -> assertThat(cause.message()).isEqualTo("(many)"))
			.satisfies((cause) -> assertThat(cause.jobs().jobs()).isEqualTo(10));
	}

	@Test
	void manyThatDieAtOnceOfTheSameAndAreRedrivenAreCountedRight() throws Exception {
		enqueue(400);
		List<ClaimedJob> claimed = claim(400);
		ExecutorService threads = Executors.newFixedThreadPool(4);
		try {
			List<CompletableFuture<Void>> parts = IntStream.range(0, 4)
				.mapToObj((part) -> CompletableFuture
					.runAsync(() -> dieAndRedrive(claimed.subList(part * 100, part * 100 + 100)), threads))
				.toList();
			for (CompletableFuture<Void> part : parts) {
				part.get(60, TimeUnit.SECONDS);
			}
		}
		finally {
			threads.shutdownNow();
		}
		assertThat(this.listing.deadCauses(10)).extracting((cause) -> cause.jobs().jobs()).containsExactly(100L, 100L);
		assertCountsAreRight();
	}

	private void dieAndRedrive(List<ClaimedJob> jobs) {
		for (int from = 0; from < jobs.size(); from += 20) {
			List<ClaimedJob> some = jobs.subList(from, from + 20);
			this.store.finish(some.stream()
				.map((job) -> new Finish.DeadLetter(job.claim(), failure((job.claim().id() % 2 == 0) ? "even" : "odd")))
				.toList());
			this.store.redrive(some.stream().map((job) -> job.claim().id()).limit(10).toList());
		}
	}

	private void assertCountsAreRight() {
		assertThat(this.rows.sql("""
				SELECT COUNT(*) FROM jobqueue_archive a LEFT JOIN jobqueue_dead_job d ON d.job_id = a.id
				WHERE a.state = 4 AND d.job_id IS NULL""").query(Long.class).single()).isZero();
	}

}
