package io.jobqueue.worker;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.jobqueue.JobContext;
import io.jobqueue.Limit;
import io.jobqueue.NewJob;
import io.jobqueue.OnDead;
import io.jobqueue.QueueMode;
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
 * Jobs of types with limits on real workers.
 */
@ForEachDatabase
class LimitsInWorkerTests {

	private static final String LIMIT = "partner-api";

	@Parameter
	TestDatabase testDatabase;

	private TestSchema schema;

	private TestNode one;

	private TestNode other;

	private final Map<String, AtomicInteger> running = new ConcurrentHashMap<>();

	private final List<Instant> starts = Collections.synchronizedList(new ArrayList<>());

	private final List<String> problems = Collections.synchronizedList(new ArrayList<>());

	private volatile int most = 3;

	@BeforeEach
	void create() {
		assumeTrue(this.testDatabase.isAvailable(), this.testDatabase::whyNot);
		Thorough.unlessOnMySql(this.testDatabase);
		this.schema = this.testDatabase.create();
		this.one = node();
		this.other = node();
	}

	private TestNode node() {
		TestNode node = new TestNode(this.schema.dataSource());
		node.handlers.add(new Handler("call", this::run, TestNode.QUICK_RETRY, Duration.ofMinutes(1), false,
				OnDead.CONTINUE, LIMIT));
		return node;
	}

	@AfterEach
	void close() {
		if (this.schema != null) {
			this.one.close();
			this.other.close();
			this.schema.close();
		}
	}

	private void run(String key, JobContext job) throws InterruptedException {
		AtomicInteger ofKey = this.running.computeIfAbsent(key, (same) -> new AtomicInteger());
		this.starts.add(Instant.now());
		if (ofKey.incrementAndGet() > this.most) {
			this.problems.add("More than " + this.most + " of '" + key + "' at once");
		}
		Thread.sleep(ThreadLocalRandom.current().nextInt(4));
		ofKey.decrementAndGet();
		if (job.attempt() == 1 && ThreadLocalRandom.current().nextInt(10) == 0) {
			throw new IllegalStateException("The first attempt fails now and then");
		}
	}

	private void enqueue(String key, int jobs) {
		this.one.queue.enqueueAll(IntStream.range(0, jobs).mapToObj((number) -> {
			NewJob job = NewJob.of("call", key);
			return key.equals("-") ? job : job.limitKey(key);
		}).toList());
	}

	private void start() {
		this.one.start();
		this.other.start();
	}

	@Test
	void noMoreRunThanMayOnTwoNodes() {
		this.one.stores.keys().limits().save(Limit.of(LIMIT).running(this.most));
		enqueue("-", 60);
		enqueue("a", 60);
		start();
		enqueue("b", 60);
		this.one.awaitEmpty();
		assertThat(this.problems).isEmpty();
		assertThat(this.running).hasSize(3);
	}

	@Test
	void soDoThoseOfQueuesInTheModeRowLock() {
		assumeTrue(!this.testDatabase.isH2(), "H2 has no such queues");
		this.one.stores.queues().setMode("default", QueueMode.ROW_LOCK);
		noMoreRunThanMayOnTwoNodes();
	}

	@Test
	void onlySoManyStartInATime() {
		this.most = Integer.MAX_VALUE;
		this.one.stores.keys().limits().save(Limit.of(LIMIT).starts(100, Duration.ofSeconds(1)).burst(5));
		start();
		Instant begin = Instant.now();
		enqueue("-", 100);
		this.one.awaitEmpty();
		// Each has ten milliseconds of its own, but for the burst.
		assertThat(Duration.between(begin, Collections.max(this.starts)))
			.isGreaterThan(Duration.ofMillis(10 * (100 - 5) - 20));
	}

	@Test
	void aJobWhoseKeyMayStartLaterStartsThen() {
		this.most = Integer.MAX_VALUE;
		this.one.stores.keys().limits().save(Limit.of(LIMIT).starts(10, Duration.ofSeconds(1)).burst(1));
		start();
		enqueue("a", 4);
		this.one.awaitEmpty();
		assertThat(this.starts).hasSizeGreaterThanOrEqualTo(4);
	}

	@Test
	void aLimitThatIsRaisedIsUsedAtOnce() {
		this.one.stores.keys().limits().save(Limit.of(LIMIT).starts(1, Duration.ofDays(1)));
		start();
		enqueue("-", 20);
		Awaitility.await().until(() -> !this.starts.isEmpty());
		this.one.stores.keys().limits().save(Limit.of(LIMIT).running(this.most));
		this.one.awaitEmpty();
		assertThat(this.starts).hasSizeGreaterThanOrEqualTo(20);
	}

}
