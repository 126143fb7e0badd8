package io.jobqueue.worker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.jobqueue.AttemptFailure;
import io.jobqueue.Job;
import io.jobqueue.JobContext;
import io.jobqueue.JobListener;
import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.PermanentJobException;
import io.jobqueue.test.ForEachDatabase;
import io.jobqueue.test.LogLines;
import io.jobqueue.worker.run.JobListeners;

import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.DefaultTransactionDefinition;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the application's listeners are told, and what harm they cannot do.
 */
@ForEachDatabase
class JobListenerTests extends NodeTests {

	private final BlockingQueue<String> told = new LinkedBlockingQueue<>();

	private final JobListener noting = new JobListener() {

		@Override
		public void started(JobContext job) {
			JobListenerTests.this.told.add("started " + job.type() + " " + job.attempt() + "/" + job.maxAttempts());
		}

		@Override
		public void succeeded(JobContext job, Duration ran) {
			assertThat(MDC.get("jobId")).isEqualTo("" + job.id());
			JobListenerTests.this.told.add("succeeded " + state(job) + " " + ran.isNegative());
		}

		@Override
		public void failed(JobContext job, AttemptFailure failure, Duration nextIn) {
			JobListenerTests.this.told
				.add("failed " + failure.type() + " " + failure.message() + " " + nextIn.toMillis());
		}

		@Override
		public void dead(JobContext job, AttemptFailure failure) {
			JobListenerTests.this.told.add("dead " + state(job) + " " + failure.message());
		}

	};

	private JobState state(JobContext job) {
		return this.node.job(job.id()).state();
	}

	private List<String> next(int count) throws InterruptedException {
		List<String> events = new ArrayList<>();
		while (events.size() < count) {
			String event = this.told.poll(30, TimeUnit.SECONDS);
			assertThat(event).as("after " + events).isNotNull();
			events.add(event);
		}
		return events;
	}

	@Test
	void areToldOfWhatIsCommitted() throws Exception {
		this.node.jobListeners.add(this.noting);
		this.node.handler("good", (payload, job) -> {
		}).transactionalHandler("exact", (payload, job) -> {
		}).handler("flaky", (payload, job) -> {
			if (job.attempt() == 1) {
				throw new IllegalStateException("not yet");
			}
		}).handler("bad", (payload, job) -> {
			throw new PermanentJobException("never");
		}).start();
		this.node.queue.enqueue("good");
		assertThat(next(2)).containsExactly("started good 1/3", "succeeded SUCCEEDED false");
		this.node.queue.enqueue("exact");
		assertThat(next(2)).containsExactly("started exact 1/3", "succeeded SUCCEEDED false");
		this.node.queue.enqueue(NewJob.of("flaky").maxAttempts(7));
		assertThat(next(4)).containsExactly("started flaky 1/7", "failed java.lang.IllegalStateException not yet 20",
				"started flaky 2/7", "succeeded SUCCEEDED false");
		this.node.queue.enqueue("bad");
		assertThat(next(2)).containsExactly("started bad 1/3", "dead DEAD never");
	}

	@Test
	void oneThatFailsAgainAndAgainIsNotLoggedAgainAndAgain() throws Exception {
		this.node.jobListeners.addAll(List.of(new JobListener() {

			@Override
			public void started(JobContext job) {
				throw new IllegalStateException("for a test");
			}

		}, this.noting));
		this.node.handler("good", (payload, job) -> {
		}).start();
		try (LogLines lines = LogLines.of(JobListeners.class)) {
			enqueue("good", 50);
			next(100);
			assertThat(lines.messages()).hasSize(10);
		}
	}

	@Test
	void harmNothingByWhatTheyThrowAndLeaveOpen() throws Exception {
		JobListener hostile = new JobListener() {

			@Override
			public void started(JobContext job) {
				begin();
				throw new IllegalStateException("for a test");
			}

			@Override
			public void succeeded(JobContext job, Duration ran) {
				begin();
				throw new AssertionError("for a test");
			}

			private void begin() {
				MDC.put("ofListener", "left behind");
				if (Thread.currentThread().getName().startsWith("jobqueue-finish")) {
					Thread.currentThread().interrupt();
				}
				new JdbcTransactionManager(JobListenerTests.this.node.dataSource)
					.getTransaction(new DefaultTransactionDefinition());
			}

		};
		this.node.sql.execute("CREATE TABLE ledger (job_id BIGINT NOT NULL PRIMARY KEY)");
		this.node.jobListeners.addAll(List.of(hostile, this.noting));
		this.node.slots(1).handler("good", (payload, job) -> {
			assertThat(MDC.get("ofListener")).isNull();
			this.node.sql.update("INSERT INTO ledger VALUES (?)", job.id());
		})
			.transactionalHandler("exact",
					(payload, job) -> this.node.sql.update("INSERT INTO ledger VALUES (?)", job.id()))
			.start();
		for (int i = 0; i < 20; i++) {
			Job job = this.node.await(this.node.queue.enqueue((i % 2 == 0) ? "good" : "exact"), JobState.SUCCEEDED);
			assertThat(job.attempt()).isOne();
		}
		assertThat(next(40)).filteredOn((event) -> event.startsWith("succeeded")).hasSize(20);
		assertThat(this.node.count("ledger")).isEqualTo(20);
	}

}
