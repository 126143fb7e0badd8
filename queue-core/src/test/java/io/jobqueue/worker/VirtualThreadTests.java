package io.jobqueue.worker;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import io.jobqueue.JobState;
import io.jobqueue.test.ForEachDatabase;
import io.jobqueue.worker.WorkerSettings.Slots;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

/**
 * Attempts on virtual threads. Interrupting one inside JDBC kills its connection, which
 * must harm nobody but the attempt that was to end anyway.
 */
@EnabledForJreRange(min = JRE.JAVA_21)
@ForEachDatabase
class VirtualThreadTests extends NodeTests {

	private void useVirtualThreads() {
		Slots slots = this.node.settings.slots();
		this.node.settings = this.node.settings
			.with(new Slots(slots.concurrency(), slots.prefetch(), true, slots.flushSize(), slots.flushDelay()));
	}

	@Test
	void aJobThatIsCancelledInsideJdbcEndsAndOthersGoOn() throws Exception {
		assumeFalse(this.testDatabase.isH2(), "its SLEEP is another function");
		useVirtualThreads();
		CountDownLatch started = new CountDownLatch(2);
		this.node.handler("long", (payload, job) -> {
			started.countDown();
			this.node.sql.queryForObject("SELECT SLEEP(300)", Integer.class);
		}).transactionalHandler("long-transaction", (payload, job) -> {
			started.countDown();
			this.node.sql.queryForObject("SELECT SLEEP(300)", Integer.class);
		}).transactionalHandler("quick", (payload, job) -> {
		}).start();
		List<Long> ids = List.of(this.node.queue.enqueue("long"), this.node.queue.enqueue("long-transaction"));
		await(started);
		for (long id : ids) {
			assertThat(this.node.queue.cancel(id)).isTrue();
		}
		Awaitility.await().until(() -> this.node.worker().health().busy() == 0);
		enqueue("quick", 100);
		this.node.awaitEmpty();
		for (long id : ids) {
			assertThat(this.node.job(id).state()).isEqualTo(JobState.CANCELLED);
		}
		assertThat(this.node.worker().health().problem()).isEmpty();
	}

	@Test
	void jobsOfBothKindsRunOnVirtualThreads() {
		useVirtualThreads();
		AtomicInteger onOthers = new AtomicInteger();
		Handler.Invocation look = (payload, job) -> {
			if (!Thread.currentThread().toString().startsWith("VirtualThread")) {
				onOthers.incrementAndGet();
			}
		};
		this.node.handler("plain", look).transactionalHandler("transactional", look).start();
		enqueue("plain", 200);
		enqueue("transactional", 200);
		this.node.awaitEmpty();
		assertThat(onOthers).hasValue(0);
		assertThat(this.node.sql.queryForObject("SELECT COUNT(*) FROM jobqueue_archive WHERE state = 3", Long.class))
			.isEqualTo(400);
	}

}
