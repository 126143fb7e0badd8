package io.jobqueue.spring.handler;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.jobqueue.Backoff;
import io.jobqueue.Job;
import io.jobqueue.JobContext;
import io.jobqueue.JobHandler;
import io.jobqueue.JobQueue;
import io.jobqueue.JobState;
import io.jobqueue.spring.autoconfigure.JobQueueAutoConfiguration;
import io.jobqueue.spring.autoconfigure.JobQueueSchedulesAutoConfiguration;
import io.jobqueue.spring.autoconfigure.JobQueueWorkerAutoConfiguration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.annotation.Configuration;

/**
 * What the tests of job handlers have in common: an application that runs them, handlers
 * of many shapes, and what these have received.
 */
abstract class HandlerTests {

	static final BlockingQueue<Object> received = new LinkedBlockingQueue<>();

	final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withPropertyValues("spring.datasource.generate-unique-name=true", "jobqueue.worker.poll-interval=100ms",
				"jobqueue.retry.delay=10ms")
		.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
				DataSourceTransactionManagerAutoConfiguration.class, TransactionAutoConfiguration.class,
				JdbcTemplateAutoConfiguration.class, JacksonAutoConfiguration.class, JobQueueAutoConfiguration.class,
				JobQueueWorkerAutoConfiguration.class, JobQueueSchedulesAutoConfiguration.class));

	@BeforeEach
	void clear() {
		received.clear();
	}

	static Object next() throws InterruptedException {
		return received.poll(30, TimeUnit.SECONDS);
	}

	static Job await(JobQueue queue, long id, JobState state) {
		Awaitility.await().until(() -> queue.find(id).orElseThrow().state() == state);
		return queue.find(id).orElseThrow();
	}

	record Line(String article, int count) {
	}

	record Order(long id, BigDecimal amount, Instant at, LocalDate day, List<Line> lines, Optional<String> note) {
	}

	abstract static class Inherited<T> {

		@JobHandler("inherited")
		void handle(T payload) {
			received.add(payload);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Shapes extends Inherited<Line> {

		@JobHandler("record")
		void onRecord(Order order) {
			received.add(order);
		}

		@JobHandler("generic")
		void generic(Map<String, List<Line>> lines) {
			received.add(lines);
		}

		@JobHandler("context-only")
		void contextOnly(JobContext job) {
			received.add(job.id());
		}

		@JobHandler("both")
		void both(JobContext job, String text) {
			received.add(text + " " + job.attempt());
		}

		@JobHandler("nothing")
		void nothing() {
			received.add("nothing");
		}

		@JobHandler("object")
		void object(Object payload) {
			received.add(payload);
		}

		@JobHandler(value = "tuned", maxAttempts = 3, backoff = @Backoff(delay = "500ms", multiplier = 1),
				timeout = "2m", noRetryFor = IllegalArgumentException.class)
		void tuned() {
		}

	}

}
