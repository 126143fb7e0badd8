package io.jobqueue.worker;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.jobqueue.Job;
import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.PermanentJobException;
import io.jobqueue.RetryLaterException;
import io.jobqueue.test.ForEachDatabase;
import io.jobqueue.worker.WorkerSettings.Timing;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which jobs a worker runs, when, and what becomes of them.
 */
@ForEachDatabase
class WorkerTests extends NodeTests {

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

	/**
	 * As of an entity whose text names itself again and again. Were such an attempt not
	 * counted, the job would run for ever.
	 */
	@ParameterizedTest
	@EnumSource
	void anExceptionThatCannotBeReadCountsAsAnyOther(Unreadable part) {
		this.node.handler("hostile", (payload, job) -> {
			throw part.exception();
		}).start();
		Job job = this.node.await(this.node.queue.enqueue("hostile"), JobState.DEAD);
		assertThat(job.attempt()).isEqualTo(3);
		assertThat(job.lastError()).isPresent();
		assertThat(this.node.count("jobqueue_error")).isEqualTo(3);
	}

	private enum Unreadable {

		MESSAGE, CAUSE, TRACE, DELAY;

		Exception exception() {
			Unreadable part = this;
			if (part == DELAY) {
				return new RetryLaterException(Duration.ZERO) {
					@Override
					public Duration delay() {
						throw new IllegalStateException("for a test");
					}
				};
			}
			return new Exception() {
				@Override
				public String getMessage() {
					return (part == MESSAGE) ? getMessage() + "!" : "readable";
				}

				@Override
				public synchronized Throwable getCause() {
					if (part == CAUSE) {
						throw new NoClassDefFoundError("for a test");
					}
					return null;
				}

				@Override
				public void printStackTrace(PrintWriter writer) {
					if (part == TRACE) {
						throw new OutOfMemoryError("for a test");
					}
					super.printStackTrace(writer);
				}
			};
		}

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
		long second = transaction().execute((status) -> {
			long id = this.node.queue.enqueue("wake");
			assertThat(runs).containsExactly(first);
			return id;
		});
		this.node.await(second, JobState.SUCCEEDED);
		transaction().executeWithoutResult((status) -> {
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
		assertThat(job.lastError().orElseThrow().message()).contains("timeout of 200ms and");
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
		await(started);
		assertThat(this.node.sql.queryForObject(
				"SELECT TIMESTAMPDIFF(SECOND, claimed_at, deadline_at) FROM jobqueue_job WHERE id = ?", Long.class, id))
			.as("timeout + session timeout + margin")
			.isEqualTo(60 + 2 + 120);
		release.countDown();
		this.node.await(id, JobState.SUCCEEDED);
	}

}
