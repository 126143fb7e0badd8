package io.jobqueue.worker;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.store.Finish;
import io.jobqueue.test.ForEachDatabase;
import io.jobqueue.worker.WorkerSettings.Timing;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A worker whose jobs others run, cancel, pause and take back beside it.
 */
@ForEachDatabase
class WorkerAmongOthersTests extends NodeTests {

	@Test
	void everyJobRunsOnceOnSeveralWorkers() {
		Map<Long, AtomicInteger> runs = new ConcurrentHashMap<>();
		Handler.Invocation count = (payload, job) -> runs.computeIfAbsent(job.id(), (id) -> new AtomicInteger())
			.incrementAndGet();
		List<Long> ids = this.node.queue
			.enqueueAll(IntStream.range(0, 3000).mapToObj((i) -> NewJob.of("count", "payload " + i)).toList());
		try (TestNode other = anotherNode().handler("count", count).start()) {
			this.node.handler("count", count).start();
			this.node.awaitEmpty();
			assertThat(other.worker().isRunning()).isTrue();
		}
		assertThat(runs.keySet()).containsExactlyInAnyOrderElementsOf(ids);
		assertThat(runs.values()).allMatch((runsOfOne) -> runsOfOne.get() == 1);
		assertThat(this.node.sql.queryForObject("SELECT COUNT(*) FROM jobqueue_archive WHERE state = 3", Long.class))
			.isEqualTo(3000);
	}

	@Test
	void cancellingARunningJobInterruptsItOnWhicheverNodeItRuns() throws Exception {
		CountDownLatch started = new CountDownLatch(2);
		CountDownLatch interrupted = new CountDownLatch(2);
		this.node.handler("long", (payload, job) -> {
			started.countDown();
			try {
				TimeUnit.MINUTES.sleep(5);
			}
			catch (InterruptedException ex) {
				interrupted.countDown();
				throw ex;
			}
		}).start();
		TestNode elsewhere = anotherNode();
		long here = this.node.queue.enqueue("long");
		long there = this.node.queue.enqueue("long");
		await(started);
		assertThat(this.node.queue.cancel(here)).isTrue();
		assertThat(elsewhere.queue.cancel(there)).isTrue();
		await(interrupted);
		Awaitility.await().until(() -> this.node.worker().health().held() == 0);
		assertThat(this.node.job(here).state()).isEqualTo(JobState.CANCELLED);
		assertThat(this.node.job(there).state()).isEqualTo(JobState.CANCELLED);
		assertThat(this.node.queue.cancel(here)).isFalse();
	}

	@Test
	void aPausedQueueStandsStillWhileOthersGoOn() {
		this.node.handler("any", (payload, job) -> {
		}).start();
		this.node.queue.pause("mail");
		long paused = this.node.queue.enqueue(NewJob.of("any").queue("mail"));
		long other = this.node.queue.enqueue(NewJob.of("any").queue("reports"));
		this.node.await(other, JobState.SUCCEEDED);
		assertThat(this.node.job(paused).state()).isEqualTo(JobState.READY);
		this.node.queue.resume("mail");
		this.node.await(paused, JobState.SUCCEEDED);
	}

	@Test
	void aWorkerWhoseSessionWasEndedGoesOnInANewOneAndItsOldResultIsDiscarded() throws Exception {
		CountDownLatch started = new CountDownLatch(1);
		CountDownLatch ended = new CountDownLatch(1);
		AtomicInteger runs = new AtomicInteger();
		// Its own rescue does nothing in the first minute. It would put the job under
		// suspicion, and the worker would not run it beside the attempt that it holds.
		this.node.timing(new Timing(Duration.ofMillis(200), Duration.ofMillis(200), Duration.ofMinutes(1),
				Duration.ofSeconds(5)));
		this.node.handler("work", (payload, job) -> {
			if (runs.incrementAndGet() == 1) {
				started.countDown();
				// The partitioned handler runs on, whatever it is told.
				awaitUninterruptibly(ended);
			}
		}).start();
		long id = this.node.queue.enqueue("work");
		await(started);
		// Another node believes this one dead: it ends the session and takes the job
		// back.
		this.node.sql.update("DELETE FROM jobqueue_session");
		var overdue = this.node.store.overdue(0, 10);
		assertThat(overdue).singleElement().matches((job) -> job.orphaned());
		// What the worker claims before it knows would be orphaned too.
		Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> this.node.count("jobqueue_session") == 1);
		assertThat(this.node.store.finish(List.of(new Finish.Release(overdue.get(0).claim(), Duration.ZERO))))
			.isEmpty();
		this.node.await(id, JobState.SUCCEEDED);
		ended.countDown();
		Awaitility.await().until(() -> this.node.worker().health().held() == 0);
		assertThat(runs).hasValue(2);
		assertThat(this.node.job(id).attempt()).isEqualTo(1);
		Awaitility.await()
			.untilAsserted(() -> assertThat(this.node.outcomes).filteredOn(Outcome.SUCCEEDED::equals).hasSize(1));
	}

	/**
	 * Jobs that the worker's session holds in the table, though the worker has never
	 * heard of them.
	 */
	@Test
	void aClaimWhoseCommitWasLostIsGivenBack() {
		Set<Long> runs = ConcurrentHashMap.newKeySet();
		this.node.handler("work", (payload, job) -> runs.add(job.id())).start();
		this.node.sql.update(
				"INSERT INTO jobqueue_job (type, state, fence, attempt, session_id) VALUES ('work', 1, 1, 1, ?)",
				this.node.worker().health().session());
		this.node.awaitEmpty();
		assertThat(runs).hasSize(1);
	}

}
