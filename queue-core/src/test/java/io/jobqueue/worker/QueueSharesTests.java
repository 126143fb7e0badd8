package io.jobqueue.worker;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

import io.jobqueue.NewJob;
import io.jobqueue.test.ForEachDatabase;
import io.jobqueue.test.TestDatabase;
import io.jobqueue.test.TestSchema;
import io.jobqueue.worker.WorkerSettings.Shares;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Queues with weights and with slots of their own.
 */
@ForEachDatabase
class QueueSharesTests {

	@Parameter
	TestDatabase testDatabase;

	private TestSchema schema;

	private TestNode node;

	@BeforeEach
	void open() {
		assumeTrue(this.testDatabase.isAvailable(), this.testDatabase::whyNot);
		this.schema = this.testDatabase.create();
		this.node = new TestNode(this.schema.dataSource());
	}

	@AfterEach
	void close() {
		if (this.node != null) {
			this.node.close();
			this.schema.close();
		}
	}

	@Test
	void aQueueRunsNoMoreJobsAtOnceThanItMayAndAllOfThem() {
		AtomicInteger running = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		AtomicInteger others = new AtomicInteger();
		this.node.handler("slow", (payload, job) -> {
			most.accumulateAndGet(running.incrementAndGet(), Math::max);
			Thread.sleep(20);
			running.decrementAndGet();
		}).handler("quick", (payload, job) -> others.incrementAndGet()).slots(8);
		this.node.settings = this.node.settings.with(new Shares(Map.of(), Map.of("partner", 2)));
		for (int i = 0; i < 30; i++) {
			this.node.queue.enqueue(NewJob.of("slow").queue("partner"));
			this.node.queue.enqueue("quick");
		}
		this.node.start();
		this.node.awaitEmpty();
		assertThat(most).hasValue(2);
		assertThat(others).hasValue(30);
	}

	@Test
	void ofTwoQueuesThatAlwaysHaveJobsOneRunsAsManyTimesMoreAsItsWeightSays() {
		AtomicInteger light = new AtomicInteger();
		AtomicInteger heavy = new AtomicInteger();
		this.node.handler("light", (payload, job) -> {
			light.incrementAndGet();
			Thread.sleep(10);
		}).handler("heavy", (payload, job) -> {
			heavy.incrementAndGet();
			Thread.sleep(10);
		}).slots(4);
		this.node.settings = this.node.settings.with(new Shares(Map.of("b", 4), Map.of()));
		for (int i = 0; i < 400; i++) {
			this.node.queue.enqueue(NewJob.of("light").queue("a"));
			this.node.queue.enqueue(NewJob.of("heavy").queue("b"));
		}
		this.node.start();
		Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> light.get() + heavy.get() >= 300);
		int ofHeavy = heavy.get();
		int ofLight = light.get();
		assertThat(ofHeavy).isGreaterThan(2 * ofLight);
		assertThat(ofLight).isPositive();
	}

}
