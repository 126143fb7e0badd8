package io.jobqueue.test.shop;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.List;

import io.jobqueue.Job;
import io.jobqueue.JobQueue;
import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.Schedule;
import io.jobqueue.Schedules;
import io.jobqueue.test.Fault;
import io.jobqueue.test.JobQueueTest;
import io.jobqueue.test.JobQueueTester;
import io.jobqueue.test.JobRun;
import io.jobqueue.test.JobRuns;
import io.jobqueue.test.shop.Shop.Receipt;

import org.junit.jupiter.api.Test;
import org.mockito.InOrder;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;
import static org.mockito.BDDMockito.willDoNothing;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.inOrder;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;

/**
 * What the tester promises, whether the test is a transaction or not, and on whichever
 * database.
 */
@JobQueueTest(Handlers.class)
@Import(Shop.Orders.class)
@TestPropertySource(
		properties = { "spring.sql.init.mode=always", "jobqueue.limits.api.starts=1", "jobqueue.limits.api.per=1m" })
abstract class AbstractTesterTests {

	private static final Receipt RECEIPT = new Receipt(7, "ada@example.org");

	@Autowired
	JobQueueTester tester;

	@Autowired
	JobQueue jobs;

	@Autowired
	Schedules schedules;

	@Autowired
	JdbcClient sql;

	@Autowired
	Handlers handlers;

	@MockitoBean
	Mailer mailer;

	@Autowired
	Shop.Orders orders;

	long effects(String what) {
		return this.sql.sql("SELECT COUNT(*) FROM effects WHERE what = ?").param(what).query(Long.class).single();
	}

	@Test
	void whatIsEnqueuedIsSeenAndRuns() {
		this.orders.place(7);
		this.tester.assertThatEnqueued("send-receipt").withPayload(RECEIPT).inQueue("default").once();
		verify(this.mailer, never()).send("ada@example.org");
		JobRuns runs = this.tester.runDue().assertNoneFailed();
		assertThat(runs.all()).extracting(JobRun::type, JobRun::attempt, JobRun::outcome)
			.containsExactly(tuple("send-receipt", 1, JobRun.Outcome.SUCCEEDED));
		verify(this.mailer).send("ada@example.org");
		this.tester.assertThatNoneEnqueued("send-receipt");
		assertThat(this.tester.runDue().count()).isZero();
	}

	@Test
	void aJobThatWaitsForItsOrderKeyIsNotTakenForOneWhoseLimitIsLocked() {
		willThrow(new IllegalStateException("no line")).willDoNothing().given(this.mailer).send("one");
		this.jobs.enqueue(NewJob.of("in-order", "one").orderKey("ada"));
		this.jobs.enqueue(NewJob.of("limited", 2).orderKey("ada").limitKey("second"));
		assertThat(this.tester.runDue().count()).as("the first fails, the second waits for it").isEqualTo(1);
		assertThat(this.tester.drain().assertNoneFailed().count()).isEqualTo(2);
	}

	@Test
	void aFailedRunComesBackAfterItsBackoffAndDiesAtLast() {
		willThrow(new IllegalStateException("no line")).given(this.mailer).send("ada@example.org");
		long id = this.jobs.enqueue(NewJob.of("send-receipt", RECEIPT));
		JobRuns first = this.tester.runDue();
		assertThat(first.count()).isEqualTo(1);
		assertThatExceptionOfType(AssertionError.class).isThrownBy(first::assertNoneFailed)
			.withMessageContaining("send-receipt job " + id + " (attempt 1, RETRIED)")
			.withMessageContaining("no line")
			.withCauseInstanceOf(IllegalStateException.class);
		assertThat(this.tester.runDue().count()).as("before the backoff").isZero();
		this.tester.advance(Duration.ofSeconds(59));
		assertThat(this.tester.runDue().count()).as("a second before").isZero();
		this.tester.advance(Duration.ofSeconds(1));
		assertThat(this.tester.runDue().count()).as("at the backoff").isEqualTo(1);
		JobRuns rest = this.tester.drain();
		assertThat(rest.of("send-receipt").all()).extracting(JobRun::attempt, JobRun::outcome)
			.containsExactly(tuple(3, JobRun.Outcome.DEAD));
		assertThat(this.jobs.find(id)).map(Job::state).contains(JobState.DEAD);
		assertThat(effects("dead")).isEqualTo(1);
	}

	@Test
	void drainRunsRetriesUntilTheySucceed() {
		willThrow(new IllegalStateException("no line")).willDoNothing().given(this.mailer).send("ada@example.org");
		this.jobs.enqueue(NewJob.of("send-receipt", RECEIPT));
		Instant before = this.tester.now();
		assertThat(this.tester.drain().all()).extracting(JobRun::outcome)
			.containsExactly(JobRun.Outcome.RETRIED, JobRun.Outcome.SUCCEEDED);
		assertThat(Duration.between(before, this.tester.now())).isBetween(Duration.ofSeconds(59),
				Duration.ofMinutes(2));
	}

	@Test
	void whatHandlersEnqueueRunsToo() {
		this.jobs.enqueue(NewJob.of("first", 1));
		assertThat(this.tester.runDue().all()).extracting(JobRun::type).containsExactly("first");
		this.tester.assertThatEnqueued("second").withPayload(1).delayedBy(Duration.ofHours(1)).once();
		assertThat(this.tester.drain().of("second").count()).isEqualTo(1);
		assertThat(effects("second")).isEqualTo(1);
	}

	@Test
	void aTransactionalHandlerWritesAllOrNothing() {
		willThrow(new IllegalStateException("no line")).willDoNothing().given(this.mailer).send("ada@example.org");
		this.jobs.enqueue(NewJob.of("charge", RECEIPT));
		assertThat(this.tester.runDue().failed().count()).isEqualTo(1);
		assertThat(effects("charge")).isZero();
		assertThat(this.tester.drain().failed().count()).isZero();
		assertThat(effects("charge")).isEqualTo(1);
	}

	@Test
	void aJobThatIsDeliveredTwiceHasItsTransactionalEffectOnce() {
		this.jobs.enqueue(NewJob.of("charge", RECEIPT));
		this.jobs.enqueue(NewJob.of("send-receipt", RECEIPT));
		this.tester.inject(Fault.DELIVERED_TWICE);
		this.tester.inject(Fault.DELIVERED_TWICE);
		JobRuns runs = this.tester.runDue();
		assertThat(runs.count()).isEqualTo(4);
		assertThat(effects("charge")).isEqualTo(1);
		verify(this.mailer, times(4)).send("ada@example.org");
		assertThat(this.tester.enqueued()).isEmpty();
	}

	@Test
	void aCrashBeforeTheAckIsCountedAndTheJobRunsAgain() {
		long charge = this.jobs.enqueue(NewJob.of("charge", RECEIPT));
		this.tester.inject(Fault.CRASH_BEFORE_ACK);
		assertThat(this.tester.runDue().of("charge").all()).extracting(JobRun::outcome)
			.containsExactly(JobRun.Outcome.STALE, JobRun.Outcome.SUCCEEDED);
		assertThat(effects("charge")).isEqualTo(1);
		assertThat(this.jobs.find(charge)).map(Job::crashes).contains(1);
		long receipt = this.jobs.enqueue(NewJob.of("send-receipt", RECEIPT));
		this.tester.inject(Fault.CRASH_BEFORE_ACK);
		assertThat(this.tester.runDue().count()).isEqualTo(2);
		assertThat(this.jobs.find(receipt)).map(Job::crashes).contains(1);
	}

	@Test
	void anAckThatIsStaleRollsBack() {
		long charge = this.jobs.enqueue(NewJob.of("charge", RECEIPT));
		long receipt = this.jobs.enqueue(NewJob.of("send-receipt", RECEIPT));
		this.tester.inject(Fault.STALE_ACK);
		this.tester.inject(Fault.STALE_ACK);
		assertThat(this.tester.runDue().all()).extracting(JobRun::outcome)
			.containsExactly(JobRun.Outcome.STALE, JobRun.Outcome.STALE);
		assertThat(effects("charge")).isZero();
		assertThat(this.jobs.find(charge)).map(Job::state).contains(JobState.CANCELLED);
		assertThat(this.jobs.find(receipt)).map(Job::state).contains(JobState.CANCELLED);
	}

	@Test
	void recurringJobsTickAsTheClockMoves() {
		assertThat(this.tester.runDue().count()).isZero();
		this.tester.advance(Duration.ofDays(1));
		assertThat(this.tester.runDue().of("nightly").count()).isEqualTo(1);
		this.tester.advance(Duration.ofDays(1));
		assertThat(this.tester.runDue().of("nightly").count()).isEqualTo(1);
		long tick = this.sql.sql("SELECT MAX(amount) FROM effects WHERE what = 'nightly'").query(Long.class).single();
		assertThat(Instant.ofEpochSecond(tick).atZone(ZoneOffset.UTC).toLocalTime()).isEqualTo(LocalTime.of(3, 0));
	}

	@Test
	void drainDoesNotWaitForTicks() {
		this.jobs.enqueue(NewJob.of("second", 1).delay(Duration.ofDays(2)));
		JobRuns runs = this.tester.drain();
		assertThat(runs.of("second").count()).isEqualTo(1);
		assertThat(runs.of("nightly").count()).as("on the way, which catches up once").isEqualTo(1);
	}

	@Test
	void jobsOfOneKeyRunInTheirOrderAndWaitForRetries() {
		willThrow(new IllegalStateException("no line")).willDoNothing().given(this.mailer).send("one");
		this.jobs.enqueue(NewJob.of("in-order", "one").orderKey("a"));
		this.jobs.enqueue(NewJob.of("in-order", "two").orderKey("a"));
		this.jobs.enqueue(NewJob.of("in-order", "other").orderKey("b"));
		assertThat(this.tester.runDue().count()).as("two behind one").isEqualTo(2);
		this.tester.assertThatEnqueued("in-order").withOrderKey("a").times(2);
		this.tester.drain().assertNoneFailed();
		InOrder order = inOrder(this.mailer);
		order.verify(this.mailer, times(2)).send("one");
		order.verify(this.mailer).send("two");
	}

	@Test
	void limitsHoldByTheClockOfTheTest() {
		for (int i = 0; i < 3; i++) {
			this.jobs.enqueue(NewJob.of("limited", i));
		}
		assertThat(this.tester.runDue().count()).isEqualTo(1);
		this.tester.advance(Duration.ofSeconds(61));
		assertThat(this.tester.runDue().count()).isEqualTo(1);
		Instant before = this.tester.now();
		assertThat(this.tester.drain().count()).isEqualTo(1);
		assertThat(Duration.between(before, this.tester.now())).isGreaterThan(Duration.ofSeconds(50));
	}

	@Test
	void limitKeysHoldToo() {
		for (int i = 0; i < 4; i++) {
			this.jobs.enqueue(NewJob.of("limited", i).limitKey("customer-" + i % 2));
		}
		assertThat(this.tester.runDue().count()).isEqualTo(2);
		this.tester.assertThatEnqueued("limited").withLimitKey("customer-0").once();
		assertThat(this.tester.drain().count()).isEqualTo(2);
	}

	@Test
	void batchHandlersGetWhatIsDueTogether() {
		this.handlers.chunks.clear();
		this.jobs.enqueueAll(List.of(NewJob.of("in-a-batch", 1), NewJob.of("in-a-batch", 2), NewJob.of("in-a-batch", 3),
				NewJob.of("in-a-batch", 4), NewJob.of("in-a-batch", 5), NewJob.of("in-a-batch", 6)));
		assertThat(this.tester.runDue().assertNoneFailed().count()).isEqualTo(6);
		assertThat(this.handlers.chunks).containsExactly(5, 1);
		assertThat(effects("batch")).isEqualTo(6);
	}

	@Test
	void theClockIsThatOfAllThatTheQueueDoes() {
		this.tester.advance(Duration.ofDays(10));
		long id = this.jobs.enqueue(NewJob.of("second", 1));
		Job job = this.jobs.find(id).orElseThrow();
		Instant now = this.tester.now();
		assertThat(job.enqueuedAt()).isBetween(now.minusSeconds(60), now);
		assertThat(job.availableAt()).isEqualTo(job.enqueuedAt());
		assertThat(Duration.between(Instant.now(), now)).isBetween(Duration.ofDays(9), Duration.ofDays(11));
		assertThat(this.tester.runDue().of("second").count()).isEqualTo(1);
		assertThat(this.jobs.find(id).orElseThrow().finishedAt()).isBetween(now.minusSeconds(60), now.plusSeconds(60));
	}

	@Test
	void expiredJobsDoNotRun() {
		long id = this.jobs.enqueue(NewJob.of("second", 1).expiresAfter(Duration.ofMinutes(1)));
		this.tester.advance(Duration.ofMinutes(2));
		assertThat(this.tester.runDue().count()).isZero();
		assertThat(this.jobs.find(id)).map(Job::state).contains(JobState.EXPIRED);
	}

	@Test
	void uniqueKeysAreSeen() {
		long id = this.jobs.enqueue(NewJob.of("second", 1).uniqueKey("one"));
		assertThat(this.jobs.enqueue(NewJob.of("second", 2).uniqueKey("one"))).isEqualTo(id);
		this.tester.assertThatEnqueued("second").once();
		assertThat(this.tester.runDue().count()).isEqualTo(1);
	}

	@Test
	void pausedQueuesWaitAndDrainEnds() {
		this.jobs.pause("default");
		try {
			this.jobs.enqueue(NewJob.of("second", 1).delay(Duration.ofMinutes(5)));
			assertThat(this.tester.drain().count()).isZero();
		}
		finally {
			this.jobs.resume("default");
		}
	}

	@Test
	void aMissingJobIsToldWithThoseThatComeNearest() {
		this.jobs.enqueue(NewJob.of("send-receipt", new Receipt(8, "eve@example.org")));
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> this.tester.assertThatEnqueued("send-receipt").withPayload(RECEIPT))
			.withMessageContaining("with the payload {\"order\":7,\"to\":\"ada@example.org\"}")
			.withMessageContaining("{\"order\":8,\"to\":\"eve@example.org\"}");
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> this.tester.assertThatEnqueued("charge"))
			.withMessageContaining("{send-receipt=1}");
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> this.tester.assertThatNoneEnqueued("send-receipt"))
			.withMessageContaining("eve@example.org");
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> this.tester.assertThatEnqueued("send-receipt").times(2));
	}

	@Test
	void whatTheApplicationDoesToItsJobsIsPartOfTheTest() {
		long cancelled = this.jobs.enqueue(NewJob.of("second", 1));
		long later = this.jobs.enqueue(NewJob.of("second", 2));
		assertThat(this.jobs.cancel(cancelled)).isTrue();
		assertThat(this.jobs.reschedule(later, this.tester.now().plus(Duration.ofHours(1)))).isTrue();
		assertThat(this.tester.runDue().count()).isZero();
		assertThat(this.tester.drain().of("second").count()).isEqualTo(1);
		willThrow(new IllegalStateException("no line")).given(this.mailer).send("ada@example.org");
		long dead = this.jobs.enqueue(NewJob.of("send-receipt", RECEIPT).maxAttempts(1));
		this.tester.runDue();
		willDoNothing().given(this.mailer).send("ada@example.org");
		assertThat(this.jobs.redrive(dead)).isTrue();
		assertThat(this.tester.runDue().assertNoneFailed().of("send-receipt").count()).isEqualTo(1);
	}

	@Test
	void theHandlerOfDeadJobsRunsInTheSameCallAndByTheSameClock() {
		willThrow(new IllegalStateException("no line")).given(this.mailer).send("ada@example.org");
		this.tester.advance(Duration.ofDays(3));
		this.jobs.enqueue(NewJob.of("send-receipt", RECEIPT).maxAttempts(1));
		assertThat(this.tester.runDue().all()).extracting(JobRun::type)
			.contains("send-receipt", "jobqueue.dead.send-receipt");
		assertThat(effects("dead")).isEqualTo(1);
	}

	@Test
	void aFailureOfOneHandlerMarksNoOther() {
		willThrow(new IllegalStateException("no line")).given(this.mailer).send("ada@example.org");
		this.jobs.enqueue(NewJob.of("swallows", 1).maxAttempts(1));
		JobRuns alone = this.tester.runDue();
		this.jobs.enqueue(NewJob.of("charge", RECEIPT).maxAttempts(1));
		this.jobs.enqueue(NewJob.of("swallows", 2).maxAttempts(1));
		assertThat(this.tester.runDue().of("swallows").all()).extracting(JobRun::outcome)
			.isEqualTo(alone.all().stream().map(JobRun::outcome).toList())
			.containsExactly(JobRun.Outcome.DEAD);
	}

	@Test
	void aMarkOfTheTestsOwnTransactionIsNoneOfHandlers() {
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> this.orders.placeAndFail(9))
			.withMessage("no stock");
		this.jobs.enqueue(NewJob.of("charge", RECEIPT).maxAttempts(1));
		this.tester.runDue().of("charge").assertNoneFailed();
		assertThat(effects("charge")).isEqualTo(1);
	}

	@Test
	void queuesWhoseRowsStayLockedWorkToo() {
		this.jobs.enqueue(NewJob.of("second", 1).queue("exact"));
		this.sql.sql("DELETE FROM jobqueue_queue WHERE name = 'exact'").update();
		this.sql.sql("INSERT INTO jobqueue_queue (name, mode) VALUES ('exact', 1)").update();
		assertThat(this.tester.runDue().assertNoneFailed().count()).isEqualTo(1);
		assertThat(effects("second")).isEqualTo(1);
	}

	@Test
	void jobsWithoutAHandlerAreNamed() {
		this.jobs.enqueue(NewJob.of("of-nobody"));
		this.jobs.enqueue(NewJob.of("second", 1));
		JobRuns runs = this.tester.runDue().assertNoneFailed();
		assertThat(runs.count()).isEqualTo(1);
		assertThat(runs.withoutHandler()).containsExactly("of-nobody");
		assertThat(runs.of("second").withoutHandler()).isEmpty();
	}

	@Test
	void drainEndsThoughRecurringJobsAlwaysFail() {
		this.schedules.save(Schedule.every("soon", Duration.ofMinutes(1)).job(NewJob.of("fails-soon")));
		this.schedules.save(Schedule.every("late", Duration.ofMinutes(7)).job(NewJob.of("fails-late")));
		this.jobs.enqueue(NewJob.of("second", 1).delay(Duration.ofMinutes(8)));
		JobRuns runs = this.tester.drain();
		assertThat(runs.of("second").count()).isEqualTo(1);
		assertThat(runs.of("fails-soon").failed().count()).isPositive();
		assertThat(runs.of("fails-late").failed().count()).isPositive();
	}

	@Test
	void aTimeThatNeverComesIsNoError() {
		this.jobs.enqueue(NewJob.of("second", 1).availableAt(Instant.parse("2900-01-01T00:00:00Z")));
		this.jobs.enqueue(NewJob.of("nobody", "knows").delay(Duration.ofDays(30)));
		Instant before = this.tester.now();
		this.jobs.enqueue(NewJob.of("second", 2));
		assertThat(this.tester.runDue().count()).isEqualTo(1);
		assertThat(Duration.between(before, this.tester.now())).isLessThan(Duration.ofDays(1));
	}

	@Test
	void mocksAreThoseOfTheTest() {
		willDoNothing().given(this.mailer).send("ada@example.org");
		this.jobs.enqueue(NewJob.of("send-receipt", RECEIPT));
		this.tester.runDue().assertNoneFailed();
		verify(this.mailer, times(1)).send("ada@example.org");
	}

}
