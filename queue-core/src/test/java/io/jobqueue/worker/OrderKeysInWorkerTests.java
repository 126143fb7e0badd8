package io.jobqueue.worker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;

import io.jobqueue.JobContext;
import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.OnDead;
import io.jobqueue.QueueMode;
import io.jobqueue.WaitReason;
import io.jobqueue.test.ForEachDatabase;
import io.jobqueue.test.TestDatabase;
import io.jobqueue.test.TestSchema;
import io.jobqueue.test.Thorough;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Jobs with order keys on real workers.
 */
@ForEachDatabase
class OrderKeysInWorkerTests {

	private static final List<String> KEYS = List.of("a", "b", "c");

	@Parameter
	TestDatabase testDatabase;

	private TestSchema schema;

	private TestNode one;

	private TestNode other;

	private final Map<String, List<Long>> ran = new ConcurrentHashMap<>();

	private final Map<String, Long> running = new ConcurrentHashMap<>();

	private final List<String> problems = Collections.synchronizedList(new ArrayList<>());

	@BeforeEach
	void create() {
		assumeTrue(this.testDatabase.isAvailable(), this.testDatabase::whyNot);
		Thorough.unlessOnMySql(this.testDatabase);
		this.schema = this.testDatabase.create();
		this.one = node();
		this.other = node();
	}

	private TestNode node() {
		return new TestNode(this.schema.dataSource()).handler("plain", this::run)
			.transactionalHandler("transactional", this::run);
	}

	@AfterEach
	void close() {
		if (this.schema != null) {
			this.one.close();
			this.other.close();
			this.schema.close();
		}
	}

	private void run(String payload, JobContext job) throws InterruptedException {
		String key = job.orderKey().orElseThrow();
		Long before = this.running.put(key, job.id());
		if (before != null) {
			this.problems.add("Jobs " + before + " and " + job.id() + " of " + key + " at once");
		}
		Thread.sleep(ThreadLocalRandom.current().nextInt(4));
		this.running.remove(key);
		if (job.attempt() == 1 && ThreadLocalRandom.current().nextInt(10) == 0) {
			throw new IllegalStateException("The first attempt fails now and then");
		}
		this.ran.computeIfAbsent(key, (same) -> Collections.synchronizedList(new ArrayList<>())).add(job.id());
	}

	private void assertInOrder(String type) {
		this.one.start();
		this.other.start();
		Map<String, List<Long>> enqueued = new ConcurrentHashMap<>();
		for (int i = 0; i < 20; i++) {
			for (String key : KEYS) {
				enqueued.computeIfAbsent(key, (same) -> new ArrayList<>())
					.addAll(this.one.queue.enqueueAll(IntStream.range(0, 2)
						.mapToObj((number) -> NewJob.of(type, "p").orderKey(key).priority(number))
						.toList()));
			}
		}
		this.one.awaitEmpty();
		assertThat(this.problems).isEmpty();
		assertThat(this.ran).isEqualTo(enqueued);
	}

	@Test
	void theyRunInTheirOrderOnTwoNodes() {
		assertInOrder("plain");
	}

	@Test
	void thoseOfTransactionalHandlersToo() {
		assertInOrder("transactional");
	}

	@Test
	void thoseOfQueuesInTheModeRowLockToo() {
		assumeTrue(!this.testDatabase.isH2(), "H2 has no such queues");
		this.one.stores.queues().setMode("default", QueueMode.ROW_LOCK);
		assertInOrder("transactional");
	}

	@Test
	void aDeadJobBlocksItsKeyIfItsHandlerSaysSo() {
		this.one.handlers.add(new Handler("blocking", (payload, job) -> {
			if (payload.equals("fail")) {
				throw new IllegalStateException("It fails");
			}
		}, TestNode.QUICK_RETRY, Duration.ofMinutes(1), false, OnDead.BLOCK, ""));
		this.one.start();
		long dead = this.one.queue.enqueue(NewJob.of("blocking", "fail").orderKey("a"));
		long next = this.one.queue.enqueue(NewJob.of("blocking", "succeed").orderKey("a"));
		long beside = this.one.queue.enqueue(NewJob.of("blocking", "succeed").orderKey("b"));
		this.one.await(dead, JobState.DEAD);
		this.one.await(beside, JobState.SUCCEEDED);
		Awaitility.await()
			.until(() -> this.one.job(next)
				.waitingFor()
				.equals(Optional.of(new WaitReason(WaitReason.Kind.BLOCKED, "a", dead))));
		assertThat(this.one.queue.blockedKeys(10)).singleElement()
			.satisfies((blocked) -> assertThat(blocked.jobId()).isEqualTo(dead));
		assertThat(this.one.queue.unblock("a", next)).as("another one blocks it").isFalse();
		assertThat(this.one.queue.blockedKeys(10)).hasSize(1);
		assertThat(this.one.queue.unblock("a", dead)).isTrue();
		assertThat(this.one.queue.blockedKeys(10)).isEmpty();
		this.one.await(next, JobState.SUCCEEDED);
		assertThat(this.one.queue.unblock("a")).isFalse();
	}

	@Test
	void otherJobsRunThoughKeysCannotBeSeenTo() {
		this.one.handler("keyless", (payload, job) -> {
		}).start();
		this.one.sql.execute("DROP TABLE jobqueue_order_place");
		this.one.sql.execute("CREATE TABLE jobqueue_order_place (wrong INT)");
		this.one.sql.update("INSERT INTO jobqueue_order_change (kind, job_id, order_key) VALUES (1, 1, 'a')");
		for (int i = 0; i < 3; i++) {
			this.one.await(this.one.queue.enqueue(NewJob.of("keyless", "p")), JobState.SUCCEEDED);
		}
	}

}
