package io.jobqueue.worker;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.jobqueue.Job;
import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.PermanentJobException;
import io.jobqueue.RetryLaterException;
import io.jobqueue.store.Finish;
import io.jobqueue.test.TestDatabase;
import io.jobqueue.test.TestSchema;
import io.jobqueue.worker.WorkerSettings.Timing;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * What a worker promises, on a real database.
 */
@ParameterizedClass
@EnumSource(TestDatabase.class)
class WorkerTests {

	private final TestDatabase server;

	private TestSchema schema;

	private TestNode node;

	WorkerTests(TestDatabase server) {
		this.server = server;
	}

	@BeforeEach
	void createNode() {
		assumeTrue(this.server.isAvailable(), this.server::whyNot);
		this.schema = this.server.create();
		this.node = new TestNode(this.schema.dataSource());
	}

	@AfterEach
	void closeNode() {
		if (this.node != null) {
			this.node.close();
			this.schema.close();
		}
	}

	@Test
	void runsWhatWasEnqueuedAndArchivesIt() {
		var payloads = new ConcurrentLinkedQueue<String>();
		this.node.handler("greet", (payload, job) -> payloads.add(payload + " " + job.attempt() + " " + job.queue()))
			.start();
		long id = this.node.queue.enqueue(NewJob.of("greet", "hello").queue("mail"));
		Job job = this.node.await(id, JobState.SUCCEEDED);
		assertThat(payloads).containsExactly("hello 1 mail");
		assertThat(job.attempt()).isEqualTo(1);
		assertThat(job.finishedAt()).isNotNull();
		assertThat(job.lastError()).isEmpty();
		Awaitility.await().untilAsserted(() -> assertThat(this.node.outcomes).containsExactly(Outcome.SUCCEEDED));
	}

	@Test
	void runsJobsThatAnyProgramInserted() {
		var payloads = new ConcurrentLinkedQueue<String>();
		this.node.handler("greet", (payload, job) -> payloads.add(payload)).start();
		this.node.sql.update("INSERT INTO jobqueue_job (type, payload) VALUES ('greet', 'from elsewhere')");
		this.node.awaitEmpty();
		assertThat(payloads).containsExactly("from elsewhere");
	}

	@Test
	void everyJobRunsOnceOnSeveralWorkers() {
		Map<Long, AtomicInteger> runs = new ConcurrentHashMap<>();
		Handler.Invocation count = (payload, job) -> runs.computeIfAbsent(job.id(), (id) -> new AtomicInteger())
			.incrementAndGet();
		List<Long> ids = this.node.queue
			.enqueueAll(IntStream.range(0, 3000).mapToObj((i) -> NewJob.of("count", "payload " + i)).toList());
		try (TestNode other = new TestNode(this.schema.dataSource()).handler("count", count).start()) {
			this.node.handler("count", count).start();
			this.node.awaitEmpty();
		}
		assertThat(runs.keySet()).containsExactlyInAnyOrderElementsOf(ids);
		assertThat(runs.values()).allMatch((runsOfOne) -> runsOfOne.get() == 1);
		assertThat(this.node.sql.queryForObject("SELECT COUNT(*) FROM jobqueue_archive WHERE state = 3", Long.class))
			.isEqualTo(3000);
	}

	@Test
	void aFailingJobIsRetriedAndThenDeadWithItsErrors() {
		this.node.handler("fail", (payload, job) -> {
			throw new IllegalStateException("attempt " + job.attempt() + " of " + job.maxAttempts());
		}).start();
		long id = this.node.queue.enqueue("fail");
		Job job = this.node.await(id, JobState.DEAD);
		assertThat(job.attempt()).isEqualTo(3);
		assertThat(job.lastError()).hasValueSatisfying((error) -> {
			assertThat(error.attempt()).isEqualTo(3);
			assertThat(error.type()).isEqualTo("java.lang.IllegalStateException");
			assertThat(error.message()).isEqualTo("attempt 3 of 3");
			assertThat(error.stackTrace()).contains("WorkerTests");
		});
		assertThat(this.node.count("jobqueue_error")).isEqualTo(3);
		Awaitility.await()
			.untilAsserted(() -> assertThat(this.node.outcomes).containsExactly(Outcome.RETRIED, Outcome.RETRIED,
					Outcome.DEAD));
	}

	@Test
	void aRedrivenJobRunsAgainFromItsFirstAttempt() {
		AtomicInteger broken = new AtomicInteger(1);
		this.node.handler("repair", (payload, job) -> {
			if (broken.get() == 1) {
				throw new PermanentJobException("broken");
			}
			assertThat(job.attempt()).isEqualTo(1);
		}).start();
		long id = this.node.queue.enqueue("repair");
		assertThat(this.node.await(id, JobState.DEAD).attempt()).isEqualTo(1);
		broken.set(0);
		assertThat(this.node.queue.redrive(id)).isTrue();
		this.node.await(id, JobState.SUCCEEDED);
	}

	@Test
	void aHandlerChoosesItsDelay() {
		this.node.handler("later", (payload, job) -> {
			if (job.attempt() == 1) {
				throw new RetryLaterException(Duration.ofHours(2));
			}
		}).start();
		long id = this.node.queue.enqueue("later");
		Awaitility.await().until(() -> this.node.job(id).lastError().isPresent());
		Job job = this.node.job(id);
		assertThat(job.state()).isEqualTo(JobState.READY);
		assertThat(Duration.between(job.enqueuedAt(), job.availableAt())).isBetween(Duration.ofMinutes(119),
				Duration.ofMinutes(121));
	}

	@Test
	void anErrorLikeOutOfMemoryFailsTheAttemptOnly() {
		this.node.handler("error", (payload, job) -> {
			throw new StackOverflowError("deep");
		}).handler("fine", (payload, job) -> {
		}).slots(1).start();
		long error = this.node.queue.enqueue(NewJob.of("error").maxAttempts(1));
		long fine = this.node.queue.enqueue("fine");
		this.node.await(fine, JobState.SUCCEEDED);
		assertThat(this.node.await(error, JobState.DEAD).lastError().orElseThrow().type())
			.isEqualTo("java.lang.StackOverflowError");
	}

	@Test
	void hostileErrorTextsAreStoredAsTheyAre() {
		String hostile = "'; DROP TABLE jobqueue_job; -- <script>\r\n\u0000\u0007 \ud83d\ude00 " + "x".repeat(100_000);
		this.node.handler("hostile", (payload, job) -> {
			throw new PermanentJobException(hostile);
		}).start();
		long id = this.node.queue.enqueue("hostile");
		String message = this.node.await(id, JobState.DEAD).lastError().orElseThrow().message();
		assertThat(message).hasSize(2000).startsWith(hostile.substring(0, 1990));
	}

	@Test
	void theMoreUrgentJobRunsFirst() {
		var order = new ConcurrentLinkedQueue<String>();
		for (int priority : new int[] { 0, 9, 4 }) {
			this.node.queue.enqueue(NewJob.of("ordered", "p" + priority + " first").priority(priority));
			this.node.queue.enqueue(NewJob.of("ordered", "p" + priority + " second").priority(priority));
		}
		this.node.handler("ordered", (payload, job) -> order.add(payload)).slots(1).start();
		this.node.awaitEmpty();
		assertThat(order).containsExactly("p9 first", "p9 second", "p4 first", "p4 second", "p0 first", "p0 second");
	}

	@Test
	void aJobIsNotStartedBeforeItsTime() {
		this.node.handler("delayed", (payload, job) -> {
		}).start();
		long id = this.node.queue.enqueue(NewJob.of("delayed").delay(Duration.ofMillis(700)));
		Job job = this.node.await(id, JobState.SUCCEEDED);
		assertThat(job.claimedAt()).isAfterOrEqualTo(job.availableAt());
		assertThat(Duration.between(job.enqueuedAt(), job.availableAt())).isEqualTo(Duration.ofMillis(700));
	}

	@Test
	void aLargePayloadArrivesWhole() {
		String large = "é".repeat(400_000);
		var lengths = new ConcurrentLinkedQueue<Boolean>();
		this.node.handler("large", (payload, job) -> lengths.add(large.equals(payload))).start();
		this.node.queue.enqueue("large", large);
		this.node.sql.update("INSERT INTO jobqueue_job (type, payload) VALUES ('large', ?)", large);
		this.node.awaitEmpty();
		assertThat(lengths).containsExactly(true, true);
	}

	@Test
	void anEnqueueWakesTheWorkerOfItsNodeWhenItsTransactionCommits() {
		Timing rare = new Timing(Duration.ofMinutes(10), Duration.ofMillis(500), Duration.ofSeconds(5),
				Duration.ofSeconds(5));
		var runs = new ConcurrentLinkedQueue<Long>();
		this.node.timing(rare).handler("wake", (payload, job) -> runs.add(job.id())).start();
		long first = this.node.queue.enqueue("wake");
		this.node.await(first, JobState.SUCCEEDED);
		TransactionTemplate transaction = new TransactionTemplate(new JdbcTransactionManager(this.schema.dataSource()));
		long second = transaction.execute((status) -> {
			long id = this.node.queue.enqueue("wake");
			assertThat(runs).containsExactly(first);
			return id;
		});
		this.node.await(second, JobState.SUCCEEDED);
		transaction.executeWithoutResult((status) -> {
			this.node.queue.enqueue("wake");
			status.setRollbackOnly();
		});
		long third = this.node.queue.enqueue("wake");
		this.node.await(third, JobState.SUCCEEDED);
		assertThat(runs).containsExactly(first, second, third);
	}

	@Test
	void anAttemptThatRunsTooLongIsInterruptedAndCounts() {
		this.node.handler("slow", Duration.ofMillis(200), (payload, job) -> TimeUnit.MINUTES.sleep(5)).start();
		long id = this.node.queue.enqueue(NewJob.of("slow").maxAttempts(2));
		Job job = this.node.await(id, JobState.DEAD);
		assertThat(job.attempt()).isEqualTo(2);
		assertThat(job.lastError().orElseThrow().type()).isEqualTo("timeout");
		assertThat(job.lastError().orElseThrow().message()).contains("PT0.2S");
	}

	@Test
	void rescueAllowsForTheTimeoutAndForTheTimeThatAJobWaitsForASlot() throws Exception {
		CountDownLatch started = new CountDownLatch(1);
		CountDownLatch release = new CountDownLatch(1);
		this.node.handler("slow", Duration.ofMinutes(1), (payload, job) -> {
			started.countDown();
			release.await();
		}).start();
		long id = this.node.queue.enqueue("slow");
		assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
		assertThat(this.node.sql.queryForObject(
				"SELECT TIMESTAMPDIFF(SECOND, claimed_at, deadline_at) FROM jobqueue_job WHERE id = ?", Long.class, id))
			.as("timeout + session timeout + margin")
			.isEqualTo(60 + 2 + 30);
		release.countDown();
		this.node.await(id, JobState.SUCCEEDED);
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
		TestNode elsewhere = new TestNode(this.schema.dataSource());
		long here = this.node.queue.enqueue("long");
		long there = this.node.queue.enqueue("long");
		assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
		assertThat(this.node.queue.cancel(here)).isTrue();
		assertThat(elsewhere.queue.cancel(there)).isTrue();
		assertThat(interrupted.await(30, TimeUnit.SECONDS)).isTrue();
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
	void aTypeWithoutHandlerWaitsForAWorkerThatHasOne() {
		this.node.handler("known", (payload, job) -> {
		}).start();
		long id = this.node.queue.enqueue("unknown");
		Awaitility.await().until(() -> this.node.unhandled.contains("unknown"));
		Awaitility.await().until(() -> this.node.job(id).state() == JobState.READY);
		assertThat(this.node.job(id).attempt()).isZero();
		assertThat(this.node.worker().health().unhandled()).containsExactly("unknown");
		try (TestNode newer = new TestNode(this.schema.dataSource()).handler("unknown", (payload, job) -> {
		}).start()) {
			this.node.await(id, JobState.SUCCEEDED);
		}
		assertThat(this.node.unhandled).containsExactly("unknown");
	}

	@Test
	void aShutdownLetsAttemptsEndAndGivesTheRestBackUnrun() throws Exception {
		CountDownLatch started = new CountDownLatch(1);
		CountDownLatch release = new CountDownLatch(1);
		this.node.slots(1).handler("slow", (payload, job) -> {
			started.countDown();
			release.await();
		}).start();
		long running = this.node.queue.enqueue("slow");
		List<Long> waiting = this.node.queue.enqueueAll(List.of(NewJob.of("slow"), NewJob.of("slow")));
		assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
		Thread stop = new Thread(() -> this.node.worker().stop());
		stop.start();
		Awaitility.await().until(() -> !this.node.worker().health().running());
		release.countDown();
		stop.join(30_000);
		assertThat(this.node.job(running).state()).isEqualTo(JobState.SUCCEEDED);
		for (long id : waiting) {
			assertThat(this.node.job(id).state()).isEqualTo(JobState.READY);
			assertThat(this.node.job(id).attempt()).isZero();
		}
		assertThat(this.node.count("jobqueue_session")).isZero();
	}

	@Test
	void anAttemptThatTheGracePeriodCutsOffCounts() throws Exception {
		CountDownLatch started = new CountDownLatch(1);
		this.node
			.timing(new Timing(Duration.ofMillis(200), Duration.ofMillis(200), Duration.ofSeconds(2),
					Duration.ofMillis(100)))
			.handler("slow", (payload, job) -> {
				started.countDown();
				TimeUnit.MINUTES.sleep(5);
			})
			.start();
		long id = this.node.queue.enqueue("slow");
		assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
		this.node.worker().stop();
		Job job = this.node.job(id);
		assertThat(job.state()).isEqualTo(JobState.READY);
		assertThat(job.attempt()).isEqualTo(1);
		assertThat(job.lastError().orElseThrow().type()).isEqualTo("shutdown");
	}

	@Test
	void aHandlerThatIgnoresItsInterruptDoesNotHoldUpTheShutdown() throws Exception {
		CountDownLatch started = new CountDownLatch(1);
		CountDownLatch release = new CountDownLatch(1);
		this.node
			.timing(new Timing(Duration.ofMillis(200), Duration.ofMillis(200), Duration.ofSeconds(2),
					Duration.ofMillis(50)))
			.handler("deaf", (payload, job) -> {
				started.countDown();
				while (release.getCount() > 0) {
					try {
						release.await();
					}
					catch (InterruptedException ex) {
						// Deaf on purpose.
					}
				}
			})
			.start();
		long id = this.node.queue.enqueue("deaf");
		assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
		this.node.worker().stop();
		assertThat(this.node.job(id).state()).isEqualTo(JobState.READY);
		assertThat(this.node.job(id).lastError().orElseThrow().type()).isEqualTo("shutdown");
		release.countDown();
	}

	@Test
	void aWorkerWhoseSessionWasEndedGoesOnInANewOneAndItsOldResultIsDiscarded() throws Exception {
		CountDownLatch started = new CountDownLatch(1);
		CountDownLatch ended = new CountDownLatch(1);
		AtomicInteger runs = new AtomicInteger();
		this.node.handler("work", (payload, job) -> {
			if (runs.incrementAndGet() == 1) {
				started.countDown();
				while (ended.getCount() > 0) {
					try {
						ended.await();
					}
					catch (InterruptedException ex) {
						// The partitioned handler runs on, whatever it is told.
					}
				}
			}
		}).start();
		long id = this.node.queue.enqueue("work");
		assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
		// Another node believes this one dead: it ends the session and takes the job
		// back.
		this.node.sql.update("DELETE FROM jobqueue_session");
		var overdue = this.node.store.overdue(10);
		assertThat(overdue).singleElement().matches((job) -> job.orphaned());
		this.node.store.finish(List.of(new Finish.Release(overdue.get(0).claim(), Duration.ZERO)));
		Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> this.node.count("jobqueue_session") == 1);
		this.node.await(id, JobState.SUCCEEDED);
		ended.countDown();
		Awaitility.await().until(() -> this.node.worker().health().held() == 0);
		assertThat(runs).hasValue(2);
		assertThat(this.node.job(id).attempt()).isEqualTo(1);
		Awaitility.await()
			.untilAsserted(() -> assertThat(this.node.outcomes).filteredOn(Outcome.SUCCEEDED::equals).hasSize(1));
	}

	@Test
	void aClaimWhoseCommitWasLostIsGivenBack() {
		this.node.handler("work", (payload, job) -> {
		}).start();
		long busy = this.node.queue.enqueue("work");
		this.node.await(busy, JobState.SUCCEEDED);
		long session = this.node.worker().health().session();
		// As if this node had claimed it and never heard of the commit.
		this.node.sql.update(
				"INSERT INTO jobqueue_job (type, state, fence, attempt, session_id) VALUES ('work', 1, 1, 1, ?)",
				session);
		// Something else has to be held for the comparison to take place.
		CountDownLatch release = new CountDownLatch(1);
		this.node.close();
		try (TestNode again = new TestNode(this.schema.dataSource()).handler("work", (payload, job) -> {
		}).handler("hold", (payload, job) -> release.await()).start()) {
			again.sql.update("UPDATE jobqueue_job SET session_id = ?", again.worker().health().session());
			again.queue.enqueue("hold");
			Awaitility.await()
				.until(() -> again.sql.queryForObject("SELECT COUNT(*) FROM jobqueue_archive WHERE type = 'work'",
						Long.class) == 2);
			release.countDown();
			again.awaitEmpty();
		}
	}

}
