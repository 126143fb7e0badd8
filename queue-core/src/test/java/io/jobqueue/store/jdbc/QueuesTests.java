package io.jobqueue.store.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.jobqueue.Job;
import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.QueueMode;
import io.jobqueue.database.Capability;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Failure;
import io.jobqueue.store.Finish;
import io.jobqueue.store.Queues.Depth;
import io.jobqueue.test.ForEachDatabase;
import io.jobqueue.test.Thorough;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

@ForEachDatabase
class QueuesTests extends StoreTests {

	@Test
	void aQueueIsPausedUntilItIsResumed() {
		assertThat(this.queues.paused()).isEmpty();
		this.queues.setPaused("mail", true);
		this.queues.setPaused("reports", true);
		this.queues.setPaused("mail", true);
		assertThat(this.queues.paused()).containsExactlyInAnyOrder("mail", "reports");
		this.queues.setPaused("mail", false);
		this.queues.setPaused("never-paused", false);
		assertThat(this.queues.paused()).containsExactly("reports");
	}

	@Test
	void namesOfQueuesAreComparedAsTheyAre() {
		this.queues.setPaused("mail", true);
		this.queues.setPaused("Mail", false);
		assertThat(this.queues.paused()).containsExactly("mail");
	}

	@Test
	void pausingAndOrderingAQueueDoNotDisturbEachOther() {
		this.queues.setLifo("mail", true);
		this.queues.setPaused("mail", true);
		this.queues.setLifo("reports", false);
		assertThat(this.queues.depths()).containsExactly(Depth.empty("mail", true, true, QueueMode.STANDARD),
				Depth.empty("reports", false, false, QueueMode.STANDARD));
		this.queues.setLifo("mail", false);
		assertThat(this.queues.depths().get(0)).isEqualTo(Depth.empty("mail", true, false, QueueMode.STANDARD));
	}

	@Test
	void thereAreNoDepthsWithoutJobsAndSettings() {
		assertThat(this.queues.depths()).isEmpty();
		assertThat(this.queues.archived()).isEmpty();
		assertThat(this.queues.newestDead(10)).isEmpty();
	}

	@Test
	void depthsTellWhatIsDueDelayedAndRunning() {
		enqueueAll(List.of(NewJob.of("any").queue("mail"), NewJob.of("any").queue("mail")));
		claim(2);
		List<Long> ids = enqueueAll(List.of(NewJob.of("any").queue("mail").priority(9), NewJob.of("any").queue("mail"),
				NewJob.of("any").queue("mail"), NewJob.of("any").queue("mail").delay(Duration.ofHours(1)),
				NewJob.of("any").queue("later").delay(Duration.ofHours(1))));
		this.rows.set(ids.get(1), "available_at = TIMESTAMPADD(SECOND, -90, {now})");
		this.rows.set(ids.get(2), "state = 2, crashes = 1");
		this.rows.set(ids.get(0), "state = 7, crashes = 3");
		this.rows.set(ids.get(4), "state = 8, outages = 3");
		this.queues.setPaused("mail", true);
		List<Depth> depths = this.queues.depths();
		assertThat(depths)
			.extracting(Depth::queue, Depth::paused, Depth::lifo, Depth::ready, Depth::delayed, Depth::running,
					Depth::suspects)
			.containsExactly(tuple("later", false, false, 0L, 1L, 0L, 1L), tuple("mail", true, false, 3L, 1L, 2L, 2L));
		assertThat(depths.get(0).oldestAge()).isZero();
		assertThat(depths.get(1).oldestAge()).isBetween(Duration.ofSeconds(90), Duration.ofHours(1));
	}

	@Test
	void archivedJobsAreCountedByState() {
		succeeded(NewJob.of("any"));
		succeeded(NewJob.of("any"));
		dead(NewJob.of("any"));
		this.store.cancel(enqueue(NewJob.of("any")));
		assertThat(this.queues.archived())
			.isEqualTo(Map.of(JobState.SUCCEEDED, 2L, JobState.DEAD, 1L, JobState.CANCELLED, 1L));
	}

	@Test
	void theNewestDeadComeFirstWithTheirLastErrors() {
		List<Long> ids = enqueue(3);
		this.store.finish(claim(3).stream()
			.map((job) -> new Finish.Retry(job.claim(), Duration.ZERO,
					Failure.of(1, "first", "of " + job.claim().id())))
			.toList());
		List<ClaimedJob> again = claim(3);
		this.store.finish(again.stream()
			.map((job) -> new Finish.DeadLetter(job.claim(), Failure.of(2, "last", "of " + job.claim().id())))
			.toList());
		this.rows.setArchived(ids.get(0), "finished_at = TIMESTAMPADD(HOUR, -1, {now})");
		this.rows.setArchived(ids.get(1), "finished_at = TIMESTAMPADD(HOUR, -3, {now})");
		this.rows.setArchived(ids.get(2), "finished_at = TIMESTAMPADD(HOUR, -2, {now})");
		succeeded(NewJob.of("any"));
		List<Job> dead = this.queues.newestDead(2);
		assertThat(dead).extracting(Job::id).containsExactly(ids.get(0), ids.get(2));
		assertThat(dead).allSatisfy((job) -> {
			assertThat(job.state()).isEqualTo(JobState.DEAD);
			assertThat(job.payload()).isNull();
			assertThat(job.lastError().orElseThrow().type()).isEqualTo("last");
			assertThat(job.lastError().orElseThrow().message()).isEqualTo("of " + job.id());
		});
	}

	/** MySQL would show what it knew of a table a day ago. */
	@Test
	void theSizesOfTheTablesGrowWithThem() {
		// The server looks at its tables now and then, so this takes half a minute.
		Thorough.only();
		assumeTrue(this.database.can(Capability.TABLE_STATISTICS), "H2 has none");
		assertThat(this.queues.tables()).containsKeys("jobqueue_job", "jobqueue_archive", "jobqueue_error");
		long before = this.queues.tables().get("jobqueue_job").rows();
		enqueue(3_000);
		// A server looks at a table every ten seconds at most.
		Awaitility.await()
			.atMost(Duration.ofSeconds(40))
			.until(() -> this.queues.tables().get("jobqueue_job").rows() > before + 1_000
					&& this.queues.tables().get("jobqueue_job").bytes() > 100_000);
	}

}
