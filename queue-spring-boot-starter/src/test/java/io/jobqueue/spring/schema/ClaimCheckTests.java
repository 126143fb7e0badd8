package io.jobqueue.spring.schema;

import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.jobqueue.JobHandler;
import io.jobqueue.JobQueue;
import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.node.Worker;
import io.jobqueue.spring.autoconfigure.JobQueueAutoConfiguration;
import io.jobqueue.spring.autoconfigure.JobQueueWorkerAutoConfiguration;
import io.jobqueue.test.TestDatabase;
import io.jobqueue.test.TestSchema;
import io.jobqueue.test.Thorough;
import io.jobqueue.test.Wire;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Which strategy a worker takes. Some proxies and compatible servers accept SKIP LOCKED
 * and wait all the same: here the wire to the server leaves the words out.
 */
@ExtendWith(OutputCaptureExtension.class)
class ClaimCheckTests {

	private static ApplicationContextRunner runner(TestSchema schema, String url) {
		return new ApplicationContextRunner()
			.withPropertyValues("spring.datasource.url=" + url, "spring.datasource.username=" + schema.username(),
					"spring.datasource.password=" + schema.password())
			.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
					DataSourceTransactionManagerAutoConfiguration.class, JacksonAutoConfiguration.class,
					TransactionAutoConfiguration.class, JobQueueAutoConfiguration.class,
					JobQueueWorkerAutoConfiguration.class))
			.withBean(Sleeper.class);
	}

	private static void assertThatAJobRuns(AssertableApplicationContext context) {
		JobQueue queue = context.getBean(JobQueue.class);
		long id = queue.enqueue("sleep");
		Awaitility.await()
			.untilAsserted(() -> assertThat(queue.find(id).orElseThrow().state()).isEqualTo(JobState.SUCCEEDED));
	}

	@ParameterizedTest
	@EnumSource(names = { "MYSQL", "MARIADB" })
	void aServerThatSkipsWhatIsLockedIsClaimedFromBySkipLocked(TestDatabase server, CapturedOutput output) {
		assumeTrue(server.isAvailable(), server::whyNot);
		try (TestSchema schema = server.createEmpty()) {
			runner(schema, schema.jdbcUrl()).run(ClaimCheckTests::assertThatAJobRuns);
			assertThat(output)
				.contains("Jobs are claimed by skip-locked: the database passes over rows that are locked");
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "MYSQL", "MARIADB" })
	void aServerThatWaitsForWhatIsLockedIsClaimedFromByComparing(TestDatabase server, CapturedOutput output) {
		assumeTrue(server.isAvailable(), server::whyNot);
		try (TestSchema schema = server.createEmpty(); Wire wire = new Wire(schema.jdbcUrl())) {
			wire.omit(" SKIP LOCKED");
			runner(schema, wire.jdbcUrl()).run(ClaimCheckTests::assertThatAJobRuns);
			assertThat(output).contains("Jobs are claimed by compare-and-set", "it waited for");
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "MYSQL", "MARIADB" })
	void oneJobThatIsLockedKeepsNoOtherWhereNothingIsSkipped(TestDatabase server) {
		assumeTrue(server.isAvailable(), server::whyNot);
		Thorough.unlessOnMySql(server);
		try (TestSchema schema = server.createEmpty(); Wire wire = new Wire(schema.jdbcUrl())) {
			wire.omit(" SKIP LOCKED");
			runner(schema, wire.jdbcUrl()).run((context) -> {
				JobQueue queue = context.getBean(JobQueue.class);
				queue.pause("default");
				List<Long> ids = queue.enqueueAll(IntStream.range(0, 5).mapToObj((i) -> NewJob.of("sleep")).toList());
				try (Connection operator = schema.connect()) {
					operator.setAutoCommit(false);
					operator.createStatement()
						.execute("SELECT id FROM jobqueue_job WHERE id = " + ids.get(2) + " FOR UPDATE");
					queue.resume("default");
					for (int i : List.of(0, 1, 3, 4)) {
						Awaitility.await()
							.atMost(Duration.ofSeconds(30))
							.untilAsserted(() -> assertThat(queue.find(ids.get(i)).orElseThrow().state())
								.isEqualTo(JobState.SUCCEEDED));
					}
					operator.rollback();
				}
				Awaitility.await()
					.atMost(Duration.ofSeconds(30))
					.untilAsserted(() -> assertThat(queue.find(ids.get(2)).orElseThrow().state())
						.isEqualTo(JobState.SUCCEEDED));
			});
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "MYSQL", "MARIADB" })
	void aServerThatWaitsForWhatIsLockedIsRefusedWhereSkipLockedIsAskedFor(TestDatabase server) {
		assumeTrue(server.isAvailable(), server::whyNot);
		try (TestSchema schema = server.createEmpty(); Wire wire = new Wire(schema.jdbcUrl())) {
			ApplicationContextRunner runner = runner(schema, wire.jdbcUrl())
				.withPropertyValues("jobqueue.worker.claim=skip-locked");
			runner.run((context) -> assertThat(context).hasSingleBean(Worker.class));
			wire.omit(" SKIP LOCKED");
			runner.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(NoSkipLockedException.class)
				.hasMessageContaining("it waited for"));
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "MYSQL", "MARIADB" })
	void aServerThatWaitsForWhatIsLockedIsRefusedWhereRowsStayLocked(TestDatabase server) {
		assumeTrue(server.isAvailable(), server::whyNot);
		try (TestSchema schema = server.createEmpty(); Wire wire = new Wire(schema.jdbcUrl())) {
			ApplicationContextRunner runner = runner(schema, wire.jdbcUrl());
			runner.withPropertyValues("jobqueue.queues.slow.mode=row-lock")
				.run((context) -> assertThat(context).hasSingleBean(Worker.class));
			wire.omit(" SKIP LOCKED");
			runner.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(NoSkipLockedException.class)
				.hasMessageContaining("it waited for"));
			runner.withPropertyValues("jobqueue.worker.queues=default")
				.run((context) -> assertThat(context).hasSingleBean(Worker.class));
			runner.withPropertyValues("jobqueue.queues.slow.mode=standard")
				.run((context) -> assertThat(context).hasSingleBean(Worker.class));
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "skip-locked", "update-limit", "compare-and-set" })
	void theStrategyThatIsAskedForIsTaken(String claim, CapturedOutput output) {
		assumeTrue(TestDatabase.MYSQL.isAvailable(), TestDatabase.MYSQL::whyNot);
		try (TestSchema schema = TestDatabase.MYSQL.createEmpty()) {
			runner(schema, schema.jdbcUrl()).withPropertyValues("jobqueue.worker.claim=" + claim)
				.run(ClaimCheckTests::assertThatAJobRuns);
			assertThat(output).contains("Jobs are claimed by " + claim + ", as jobqueue.worker.claim says");
		}
	}

	@Test
	void updateLimitIsRefusedOnH2() {
		try (TestSchema schema = TestDatabase.H2.createEmpty()) {
			runner(schema, schema.jdbcUrl()).withPropertyValues("jobqueue.worker.claim=update-limit")
				.run((context) -> assertThat(context).getFailure()
					.rootCause()
					.hasMessageContaining("update-limit")
					.hasMessageContaining("H2"));
		}
	}

	static class Sleeper {

		@JobHandler("sleep")
		void sleep() {
		}

	}

}
