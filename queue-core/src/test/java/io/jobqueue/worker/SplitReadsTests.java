package io.jobqueue.worker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.jobqueue.Job;
import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.test.ForEachDatabase;
import io.jobqueue.test.SplitReads;
import io.jobqueue.test.TestSchema;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A proxy sends reads outside of transactions to a copy that has stopped following.
 */
@ForEachDatabase
class SplitReadsTests extends NodeTests {

	private TestSchema copy;

	private SplitReads splitting;

	private TestNode split;

	@BeforeEach
	void splitReads() {
		this.copy = this.testDatabase.create();
		this.splitting = new SplitReads(this.node.dataSource, this.copy.dataSource());
		this.split = new TestNode(this.splitting);
	}

	@AfterEach
	void closeCopy() {
		if (this.copy != null) {
			this.split.close();
			this.copy.close();
		}
	}

	/**
	 * As long as the worker sees its heartbeats, it does not know that it reads a copy.
	 */
	private void lateFromNowOn(boolean seesHeartbeats) {
		this.splitting.late((sql) -> !seesHeartbeats || !sql.contains("jobqueue_session"));
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void everyJobRunsOnceWithItsPayload(boolean seesHeartbeats) {
		lateFromNowOn(seesHeartbeats);
		AtomicInteger characters = new AtomicInteger();
		this.split.handler("work", (payload, job) -> characters.addAndGet(payload.length())).start();
		List<NewJob> jobs = new ArrayList<>();
		IntStream.range(0, 50).forEach((number) -> jobs.add(NewJob.of("work", "x".repeat(100))));
		IntStream.range(0, 50).forEach((number) -> jobs.add(NewJob.of("work", "x".repeat(10_000))));
		List<Long> ids = this.split.queue.enqueueAll(jobs);
		ids.forEach((id) -> this.node.await(id, JobState.SUCCEEDED));
		assertThat(characters).hasValue(50 * 100 + 50 * 10_000);
		assertThat(ids).allMatch((id) -> this.node.job(id).attempt() == 1);
		assertThat(this.split.outcomes).hasSize(100).containsOnly(Outcome.SUCCEEDED);
	}

	/**
	 * What the copy does not show is not lost.
	 */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void whatRunsIsNotTakenForCancelled(boolean seesHeartbeats) throws Exception {
		lateFromNowOn(seesHeartbeats);
		CountDownLatch done = new CountDownLatch(1);
		AtomicInteger interrupted = new AtomicInteger();
		this.split.handler("long", (payload, job) -> {
			try {
				await(done);
			}
			catch (InterruptedException ex) {
				interrupted.incrementAndGet();
				throw ex;
			}
		}).start();
		long id = this.split.queue.enqueue("long");
		this.node.await(id, JobState.RUNNING);
		Awaitility.await()
			.during(this.split.settings.timing().heartbeatInterval().multipliedBy(10))
			.until(() -> interrupted.get() == 0);
		done.countDown();
		Job job = this.node.await(id, JobState.SUCCEEDED);
		assertThat(interrupted).hasValue(0);
		assertThat(job.attempt()).isEqualTo(1);
	}

	@Test
	void jobsOfOtherNodesAreFoundAndDeadWorkersNoticed() {
		this.split.handler("work", (payload, job) -> {
		}).start();
		// The copy shows neither.
		this.node.await(this.node.queue.enqueue("work"), JobState.SUCCEEDED);
		int before = this.splitting.split();
		this.node.await(this.node.queue.enqueue("work"), JobState.SUCCEEDED);
		assertThat(this.splitting.split()).as("the ranges are read in transactions").isEqualTo(before);
		assertThat(this.split.job(this.node.queue.enqueue(NewJob.of("work").delay(Duration.ofHours(1)))).state())
			.isEqualTo(JobState.READY);
		Awaitility.await().until(() -> this.split.worker().health().problem().isEmpty());
	}

}
