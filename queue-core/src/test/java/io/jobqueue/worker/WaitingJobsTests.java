package io.jobqueue.worker;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import io.jobqueue.test.ForEachDatabase;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Jobs that a worker has claimed ahead, and that wait for its only slot while a job keeps
 * it busy.
 */
@ForEachDatabase
class WaitingJobsTests extends NodeTests {

	private static final int JOBS = 3000;

	private static final int QUICK = 500;

	private final Set<Long> runs = ConcurrentHashMap.newKeySet();

	private final AtomicInteger repeated = new AtomicInteger();

	private final CountDownLatch release = new CountDownLatch(1);

	@AfterEach
	void release() {
		this.release.countDown();
	}

	/**
	 * Quick jobs make the worker claim ahead; then one holds the slot.
	 */
	private void startAndHoldTheSlot() {
		enqueue("work", JOBS);
		this.node.slots(1).handler("work", (payload, job) -> {
			count(job.id());
			if (this.runs.size() == QUICK) {
				this.release.await();
			}
		}).start();
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.until(() -> this.runs.size() == QUICK && this.node.worker().health().held() > 1);
	}

	private void count(long id) {
		if (!this.runs.add(id)) {
			this.repeated.incrementAndGet();
		}
	}

	private void awaitOneHeld() {
		Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.until(() -> this.node.worker().health().held() == 1 && this.node.sql
				.queryForObject("SELECT COUNT(*) FROM jobqueue_job WHERE state = 1", Long.class) == 1);
		assertThat(this.node.sql.queryForObject("SELECT COUNT(*) FROM jobqueue_job WHERE state = 0 AND attempt = 0",
				Long.class))
			.as("given back unrun")
			.isEqualTo(JOBS - QUICK);
	}

	private void assertEachRunsOnce() {
		this.release.countDown();
		this.node.awaitEmpty();
		assertThat(this.runs).hasSize(JOBS);
		assertThat(this.repeated).hasValue(0);
	}

	@Test
	void areGivenBackWhenTheirQueueIsPausedOnAnotherNode() {
		startAndHoldTheSlot();
		anotherNode().queue.pause("default");
		awaitOneHeld();
		anotherNode().queue.resume("default");
		assertEachRunsOnce();
	}

	@Test
	void areGivenBackWhenTheirQueueIsPausedOnTheirNode() {
		startAndHoldTheSlot();
		this.node.queue.pause("default");
		awaitOneHeld();
		this.node.queue.resume("default");
		assertEachRunsOnce();
	}

	@Test
	void areGivenBackToOthersAfterAWhile() {
		startAndHoldTheSlot();
		awaitOneHeld();
		try (TestNode other = anotherNode().handler("work", (payload, job) -> count(job.id())).start()) {
			Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> this.runs.size() == JOBS);
			assertThat(other.worker().health().problem()).isEmpty();
			assertEachRunsOnce();
		}
	}

}
