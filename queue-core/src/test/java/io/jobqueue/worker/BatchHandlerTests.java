package io.jobqueue.worker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

import io.jobqueue.Job;
import io.jobqueue.JobContext;
import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.OnDead;
import io.jobqueue.PermanentJobException;
import io.jobqueue.QueueMode;
import io.jobqueue.test.ForEachDatabase;
import io.jobqueue.test.LosingCommits;
import io.jobqueue.test.Thorough;
import io.jobqueue.worker.Handler.ChunkItem;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.jdbc.support.JdbcTransactionManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

/**
 * Handlers that run several jobs in one call.
 */
@ForEachDatabase
class BatchHandlerTests extends NodeTests {

	/** The payloads of each call. */
	private final Queue<List<String>> calls = new ConcurrentLinkedQueue<>();

	@BeforeEach
	void createTable() {
		Thorough.unlessOnMySql(this.testDatabase);
		this.node.sql.execute("CREATE TABLE ledger (job_id BIGINT NOT NULL, note VARCHAR(100))");
	}

	private void batchHandler(int size, boolean transactional, Body body) {
		batchHandler(size, transactional, Duration.ofMinutes(1), body);
	}

	private void batchHandler(int size, boolean transactional, Duration timeout, Body body) {
		batchHandler(this.node, size, transactional, timeout, body);
	}

	private void batchHandler(TestNode node, int size, boolean transactional, Duration timeout, Body body) {
		node.handlers.add(new Handler("batch", new Handler.ChunkInvocation() {

			@Override
			public Object read(@Nullable String payload) {
				if (payload == null || payload.startsWith("unreadable")) {
					throw new PermanentJobException("It cannot be read");
				}
				return payload;
			}

			@Override
			public void invoke(List<ChunkItem> items) throws Exception {
				BatchHandlerTests.this.calls.add(items.stream().map((item) -> (String) item.payload()).toList());
				body.run(items);
			}

		}, TestNode.QUICK_RETRY, timeout, transactional, OnDead.CONTINUE, "",
				new Handler.Chunks(size, Duration.ofMillis(200))));
	}

	private List<Long> enqueueBatch(int jobs) {
		return this.node.queue
			.enqueueAll(IntStream.range(0, jobs).mapToObj((number) -> NewJob.of("batch", "p" + number)).toList());
	}

	private void post(ChunkItem item) {
		this.node.sql.update("INSERT INTO ledger VALUES (?, 'posted')", item.context().id());
	}

	private void assertThatEachIsPostedOnce(List<Long> ids) {
		assertThat(this.node.sql.queryForList("SELECT job_id FROM ledger ORDER BY job_id", Long.class))
			.isEqualTo(ids.stream().sorted().toList());
	}

	private static void failAt(String payload, List<ChunkItem> items) {
		if (items.stream().anyMatch((item) -> item.payload().equals(payload))) {
			throw new IllegalStateException("One of them is poison");
		}
	}

	@Test
	void aSlotRunsAsManyAsThereAre() {
		batchHandler(20, false, (items) -> {
		});
		List<Long> ids = enqueueBatch(100);
		this.node.start();
		this.node.awaitEmpty();
		assertThat(this.calls).allSatisfy((call) -> assertThat(call).hasSizeLessThanOrEqualTo(20));
		assertThat(this.calls).hasSizeLessThan(20);
		assertThat(this.calls.stream().flatMap(List::stream)).hasSize(100).doesNotHaveDuplicates();
		assertThat(ids.stream().map(this.node::job)).allSatisfy((job) -> {
			assertThat(job.state()).isEqualTo(JobState.SUCCEEDED);
			assertThat(job.attempt()).isEqualTo(1);
		});
	}

	@Test
	void theFirstWaitsForOthers() {
		batchHandler(3, false, (items) -> {
		});
		this.node.start();
		enqueueBatch(1);
		enqueueBatch(1);
		enqueueBatch(1);
		this.node.awaitEmpty();
		assertThat(this.calls).as("not one for each").hasSizeLessThan(3);
	}

	@Test
	void aPoisonIsFoundWithoutSpendingTheAttemptsOfOthers() {
		batchHandler(64, false, (items) -> failAt("p13", items));
		List<Long> ids = enqueueBatch(64);
		this.node.start();
		Job poison = this.node.await(ids.get(13), JobState.DEAD);
		this.node.awaitEmpty();
		assertThat(poison.attempt()).isEqualTo(3);
		assertThat(poison.lastError().orElseThrow().message()).isEqualTo("One of them is poison");
		for (int i = 0; i < ids.size(); i++) {
			if (i != 13) {
				Job job = this.node.job(ids.get(i));
				assertThat(job.state()).isEqualTo(JobState.SUCCEEDED);
				assertThat(job.attempt()).as("job " + i).isEqualTo(1);
			}
		}
	}

	/**
	 * What Redis or another DataSource fails with looks as if the queue's database were
	 * lost.
	 */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void anotherStoreThatIsLostForOneJobIsTheFaultOfThatJob(boolean transactional) {
		batchHandler(16, transactional, (items) -> {
			if (items.stream().anyMatch((item) -> item.payload().equals("p3"))) {
				throw new DataAccessResourceFailureException("The store of this tenant is away");
			}
		});
		List<Long> ids = enqueueBatch(16);
		this.node.start();
		assertThat(this.node.await(ids.get(3), JobState.DEAD).attempt()).isEqualTo(3);
		this.node.awaitEmpty();
		for (int i = 0; i < ids.size(); i++) {
			assertThat(this.node.job(ids.get(i)).attempt()).as("job " + i).isEqualTo((i == 3) ? 3 : 1);
		}
	}

	@Test
	void jobsThatDoNotFitIntoTheFirstCallHaveNoDeadlineWhileTheyWait() throws Exception {
		CountDownLatch first = new CountDownLatch(1);
		CountDownLatch goOn = new CountDownLatch(1);
		batchHandler(10, false, (items) -> {
			first.countDown();
			goOn.await();
		});
		List<Long> ids = this.node.queue.enqueueAll(
				IntStream.range(0, 10).mapToObj((number) -> NewJob.of("batch", "p".repeat(1024 * 1024 - 10))).toList());
		this.node.slots(1).start();
		first.await();
		int called = List.copyOf(this.calls).get(0).size();
		assertThat(called).isBetween(1, 9);
		assertThat(this.node.sql.queryForObject(
				"SELECT COUNT(*) FROM jobqueue_job WHERE state = 1 AND deadline_at > '9000-01-01 00:00:00'",
				Long.class))
			.isGreaterThanOrEqualTo(Math.max(1, runningNow() - called));
		goOn.countDown();
		this.node.awaitEmpty();
		assertThat(ids.stream().map(this.node::job)).allSatisfy((job) -> assertThat(job.attempt()).isEqualTo(1));
	}

	private long runningNow() {
		return this.node.sql.queryForObject("SELECT COUNT(*) FROM jobqueue_job WHERE state = 1", Long.class);
	}

	@Test
	void soItIsInATransaction() {
		batchHandler(64, true, (items) -> {
			items.forEach(this::post);
			failAt("p13", items);
		});
		List<Long> ids = new ArrayList<>(enqueueBatch(64));
		this.node.start();
		this.node.await(ids.get(13), JobState.DEAD);
		this.node.awaitEmpty();
		ids.remove(13);
		assertThatEachIsPostedOnce(ids);
		assertThat(ids.stream().map(this.node::job)).allSatisfy((job) -> assertThat(job.attempt()).isEqualTo(1));
	}

	@Test
	void jobsThatAreMarkedAsFailedAreTriedAgainAlone() {
		AtomicInteger failures = new AtomicInteger();
		batchHandler(10, true, (items) -> {
			for (ChunkItem item : items) {
				boolean second = item.context().attempt() > 1;
				if (item.payload().equals("p3") && !second) {
					failures.incrementAndGet();
					item.fail(new IllegalStateException("Marked"));
				}
				else if (item.payload().equals("p4")) {
					item.fail(new PermanentJobException("For good"));
				}
				else {
					post(item);
				}
			}
		});
		List<Long> ids = new ArrayList<>(enqueueBatch(10));
		this.node.start();
		this.node.awaitEmpty();
		assertThat(failures).hasValue(1);
		assertThat(this.node.job(ids.get(3)).attempt()).isEqualTo(2);
		assertThat(this.node.job(ids.get(3)).state()).isEqualTo(JobState.SUCCEEDED);
		assertThat(this.node.job(ids.get(4)).state()).isEqualTo(JobState.DEAD);
		assertThat(this.node.job(ids.get(4)).lastError().orElseThrow().message()).isEqualTo("For good");
		ids.remove(4);
		assertThatEachIsPostedOnce(ids);
	}

	@Test
	void aPayloadThatCannotBeReadConcernsItsJobOnly() {
		batchHandler(10, true, (items) -> items.forEach(this::post));
		List<Long> ids = new ArrayList<>(enqueueBatch(5));
		long unreadable = this.node.queue.enqueue(NewJob.of("batch", "unreadable"));
		long missing = this.node.queue.enqueue(NewJob.of("batch"));
		this.node.start();
		this.node.awaitEmpty();
		assertThatEachIsPostedOnce(ids);
		assertThat(this.node.job(unreadable).state()).isEqualTo(JobState.DEAD);
		assertThat(this.node.job(missing).state()).isEqualTo(JobState.DEAD);
	}

	@Test
	void aJobThatIsCancelledMeanwhileTakesNothingOfTheOthersWithIt() throws Exception {
		CountDownLatch inCall = new CountDownLatch(1);
		CountDownLatch goOn = new CountDownLatch(1);
		Set<String> interrupted = Collections.synchronizedSet(new HashSet<>());
		batchHandler(10, true, (items) -> {
			items.forEach(this::post);
			inCall.countDown();
			try {
				goOn.await();
			}
			catch (InterruptedException ex) {
				interrupted.add("interrupted");
			}
		});
		List<Long> ids = new ArrayList<>(enqueueBatch(10));
		this.node.start();
		inCall.await();
		assertThat(this.node.queue.cancel(ids.get(2))).isTrue();
		// Until the worker knows of it.
		Thread.sleep(500);
		goOn.countDown();
		this.node.awaitEmpty();
		assertThat(this.node.job(ids.get(2)).state()).isEqualTo(JobState.CANCELLED);
		ids.remove(2);
		assertThatEachIsPostedOnce(ids);
		assertThat(interrupted).isEmpty();
		assertThat(ids.stream().map(this.node::job)).allSatisfy((job) -> {
			assertThat(job.state()).isEqualTo(JobState.SUCCEEDED);
			assertThat(job.attempt()).isEqualTo(1);
		});
	}

	@Test
	void aJobThatTakesTooLongIsFoundInTheSameWay() {
		batchHandler(8, false, Duration.ofMillis(400), (items) -> {
			if (items.stream().anyMatch((item) -> item.payload().equals("p5"))) {
				Thread.sleep(60_000);
			}
		});
		List<Long> ids = enqueueBatch(8);
		this.node.start();
		Job slow = this.node.await(ids.get(5), JobState.DEAD);
		this.node.awaitEmpty();
		assertThat(slow.lastError().orElseThrow().message()).contains("timeout");
		for (int i = 0; i < ids.size(); i++) {
			if (i != 5) {
				assertThat(this.node.job(ids.get(i)).attempt()).as("job " + i).isEqualTo(1);
			}
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aCommitWhoseAnswerIsLostDoublesNothing(boolean committed) {
		LosingCommits losing = new LosingCommits(this.node.dataSource);
		try (TestNode worker = new TestNode(losing)) {
			AtomicInteger runs = new AtomicInteger();
			batchHandler(worker, 50, true, Duration.ofMinutes(1), (items) -> {
				for (ChunkItem item : items) {
					worker.sql.update("INSERT INTO ledger VALUES (?, 'posted')", item.context().id());
				}
				if (runs.incrementAndGet() == 1) {
					losing.lose(1, committed);
				}
			});
			List<Long> ids = enqueueBatch(50);
			worker.start();
			this.node.awaitEmpty();
			assertThatEachIsPostedOnce(ids);
			assertThat(worker.outcomes).doesNotContain(Outcome.STALE);
		}
	}

	@Test
	void suspectsRunAlone() {
		batchHandler(10, false, (items) -> {
		});
		List<Long> ids = enqueueBatch(4);
		this.node.sql.update("UPDATE jobqueue_job SET state = 2, crashes = 1 WHERE id = ?", ids.get(1));
		this.node.start();
		this.node.awaitEmpty();
		assertThat(this.calls).contains(List.of("p1"));
	}

	@Test
	void jobsOfRowLockQueuesRunAloneAsWell() {
		assumeFalse(this.testDatabase.isH2(), "H2 has no such queues");
		this.node.stores.queues().setMode("default", QueueMode.ROW_LOCK);
		batchHandler(10, true, (items) -> items.forEach(this::post));
		List<Long> ids = enqueueBatch(12);
		this.node.start();
		this.node.awaitEmpty();
		assertThatEachIsPostedOnce(ids);
		assertThat(this.calls).allSatisfy((call) -> assertThat(call).hasSize(1));
	}

	@Test
	void aChunkHasOneJobOfAnOrderKeyAtMost() {
		batchHandler(10, false,
				(items) -> assertThat(items.stream().map((item) -> item.context().orderKey())).doesNotHaveDuplicates());
		this.node.queue.enqueueAll(IntStream.range(0, 12)
			.mapToObj((number) -> NewJob.of("batch", "p" + number).orderKey("key" + number % 3))
			.toList());
		this.node.start();
		this.node.awaitEmpty();
		assertThat(this.node.sql.queryForObject("SELECT COUNT(*) FROM jobqueue_archive WHERE attempt = 1", Long.class))
			.isEqualTo(12);
	}

	@Test
	void interceptorsAreAroundEachCallAndListenersAreToldOfEachJob() {
		AtomicInteger around = new AtomicInteger();
		this.node.interceptors.add((JobContext job, io.jobqueue.JobInterceptor.Call call) -> {
			around.incrementAndGet();
			call.proceed();
		});
		AtomicInteger started = new AtomicInteger();
		this.node.listener = new WorkerListener() {

			@Override
			public void started(io.jobqueue.store.ClaimedJob job, Duration delay) {
				started.incrementAndGet();
			}

		};
		batchHandler(32, false, (items) -> failAt("p0", items));
		enqueueBatch(16);
		this.node.start();
		this.node.awaitEmpty();
		Awaitility.await().until(() -> this.node.outcomes.size() == 15 + 3);
		assertThat(started).as("once for each attempt").hasValue(15 + 3);
		assertThat(around).hasValue(this.calls.size());
	}

	@Test
	void aWorkerThatStopsGivesBackWhatHasNotStarted() {
		CountDownLatch inCall = new CountDownLatch(1);
		batchHandler(5, false, (items) -> {
			inCall.countDown();
			Thread.sleep(50);
		});
		List<Long> ids = enqueueBatch(300);
		this.node.slots(1).start();
		Awaitility.await().until(() -> inCall.getCount() == 0);
		this.node.close();
		assertThat(this.node.sql.queryForObject("SELECT COUNT(*) FROM jobqueue_job WHERE state = 1", Long.class))
			.isZero();
		assertThat(this.calls.stream().flatMap(List::stream)).doesNotHaveDuplicates();
		assertThat(ids.stream().map(this.node::job).filter((job) -> job.state() == JobState.SUCCEEDED).count())
			.isEqualTo(this.calls.stream().mapToInt(List::size).sum());
	}

	@Test
	void aTransactionThatIsLeftOpenIsTheFaultOfOneJobOnly() {
		batchHandler(16, false, (items) -> {
			if (items.stream().anyMatch((item) -> item.payload().equals("p11"))) {
				new JdbcTransactionManager(this.node.dataSource).getTransaction(null);
			}
		});
		List<Long> ids = enqueueBatch(16);
		this.node.start();
		assertThat(this.node.await(ids.get(11), JobState.DEAD).lastError().orElseThrow().message())
			.contains("begun a transaction");
		this.node.awaitEmpty();
		for (int i = 0; i < ids.size(); i++) {
			if (i != 11) {
				assertThat(this.node.job(ids.get(i)).attempt()).as("job " + i).isEqualTo(1);
			}
		}
	}

	@Test
	void aRowThatSomebodyHasLockedIsWaitedFor() throws Exception {
		assumeFalse(this.testDatabase.isH2(), "H2 always waits");
		CountDownLatch inCall = new CountDownLatch(1);
		CountDownLatch goOn = new CountDownLatch(1);
		batchHandler(10, true, (items) -> {
			items.forEach(this::post);
			inCall.countDown();
			goOn.await();
		});
		List<Long> ids = enqueueBatch(10);
		this.node.start();
		inCall.await();
		transaction().executeWithoutResult((status) -> {
			this.node.sql.queryForList("SELECT id FROM jobqueue_job WHERE id = ? FOR UPDATE", ids.get(4));
			goOn.countDown();
			LockSupport.parkNanos(Duration.ofMillis(700).toNanos());
		});
		this.node.awaitEmpty();
		assertThatEachIsPostedOnce(ids);
		assertThat(this.calls).hasSize(1);
		assertThat(this.node.outcomes).doesNotContain(Outcome.STALE);
	}

	@Test
	void aWorkerThatStopsReleasesThoseThatWaitForAnotherCall() throws Exception {
		CountDownLatch second = new CountDownLatch(1);
		AtomicInteger started = new AtomicInteger();
		batchHandler(8, false, (items) -> {
			if (started.incrementAndGet() == 1) {
				throw new IllegalStateException("The first call fails");
			}
			second.countDown();
			Thread.sleep(60_000);
		});
		List<Long> ids = enqueueBatch(8);
		this.node.timing(new WorkerSettings.Timing(Duration.ofMillis(200), Duration.ofMillis(200),
				Duration.ofSeconds(2), Duration.ofMillis(300)));
		this.node.slots(1).start();
		second.await();
		this.node.close();
		List<String> first = List.copyOf(this.calls).get(0);
		List<String> again = List.copyOf(this.calls).get(1);
		assertThat(first).hasSizeGreaterThan(again.size());
		assertGivenBackUnrun(first.stream()
			.filter((payload) -> !again.contains(payload))
			.map((payload) -> ids.get(Integer.parseInt(payload.substring(1))))
			.toList());
		assertThat(this.node.sql.queryForObject("SELECT COUNT(*) FROM jobqueue_job WHERE state = 1", Long.class))
			.isZero();
	}

	@Test
	void aQueueWithSlotsOfItsOwnKeepsToThem() {
		AtomicInteger running = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		batchHandler(5, false, (items) -> {
			most.accumulateAndGet(running.incrementAndGet(), Math::max);
			Thread.sleep(20);
			running.decrementAndGet();
		});
		this.node.settings = this.node.settings.with(new WorkerSettings.Shares(Map.of(), Map.of("default", 2)));
		enqueueBatch(60);
		this.node.start();
		this.node.awaitEmpty();
		assertThat(most.get()).isLessThanOrEqualTo(2);
	}

	@FunctionalInterface
	private interface Body {

		void run(List<ChunkItem> items) throws Exception;

	}

}
