package io.jobqueue.neighbour;

import java.time.Duration;

import io.jobqueue.JobQueue;
import io.jobqueue.test.AutoConfigureJobQueue;
import io.jobqueue.test.JobQueueTester;
import io.jobqueue.test.JobRun;
import io.jobqueue.test.TestDatabase;
import io.jobqueue.test.TestSchema;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.context.transaction.TestTransaction;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * What must hold beside each library: an enqueue and a transactional handler are part of
 * its transactions, in production and in tests that roll back.
 */
@AutoConfigureJobQueue(testDatabase = "jq_*")
@Import(AbstractNeighbourTests.Database.class)
@TestPropertySource(
		properties = { "spring.sql.init.mode=always", "spring.sql.init.schema-locations=classpath:ledger.sql",
				"spring.liquibase.enabled=false", "spring.flyway.enabled=false", "jobqueue.retry.delay=10ms",
				"spring.jpa.open-in-view=false", "spring.data.jpa.repositories.enabled=false" })
abstract class AbstractNeighbourTests {

	@Autowired
	JobQueueTester tester;

	@Autowired
	JobQueue jobs;

	@Autowired
	Business business;

	@Autowired
	JdbcClient sql;

	long rows() {
		return this.sql.sql("SELECT COUNT(*) FROM ledger").query(Long.class).single();
	}

	@AfterEach
	void clear() {
		if (!TestTransaction.isActive()) {
			this.tester.stopWorker();
			this.tester.clear();
			this.sql.sql("DELETE FROM ledger").update();
		}
	}

	@Test
	void anEnqueueIsPartOfTheTransaction() {
		assertThatIllegalStateException().isThrownBy(() -> this.business.place(1, true)).withMessage("no stock");
		this.tester.assertThatNoneEnqueued("book");
		assertThat(rows()).isZero();
		this.business.place(2, false);
		this.tester.assertThatEnqueued("book").withPayload(2L).once();
		assertThat(rows()).isEqualTo(1);
	}

	@Test
	void aTransactionalHandlerWritesAllOrNothing() {
		this.business.failNext(1);
		this.business.place(3, false);
		assertThat(this.tester.runDue().all()).extracting(JobRun::outcome).containsExactly(JobRun.Outcome.RETRIED);
		assertThat(rows()).as("rolled back").isEqualTo(1);
		this.tester.assertThatNoneEnqueued("booked");
		this.tester.drain().assertNoneFailed();
		assertThat(rows()).isEqualTo(2);
	}

	@Test
	@Transactional
	void bothHoldInsideATransactionOfTheTest() {
		assertThat(TestTransaction.isActive()).isTrue();
		this.business.failNext(1);
		this.business.place(4, false);
		assertThat(this.tester.runDue().all()).extracting(JobRun::outcome).containsExactly(JobRun.Outcome.RETRIED);
		this.tester.assertThatNoneEnqueued("booked");
		assertThat(rows()).as("rolled back").isEqualTo(1);
		this.tester.advance(Duration.ofMinutes(1));
		this.tester.runDue().assertNoneFailed();
		assertThat(rows()).isEqualTo(2);
		TestTransaction.end();
		assertThat(rows()).as("rolled back by the test").isZero();
	}

	@Test
	void theWorkerDoesTheSame() {
		this.tester.startWorker();
		this.business.failNext(1);
		this.business.place(5, false);
		Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> rows() == 2 && this.tester.enqueued().isEmpty());
	}

	/**
	 * A real MySQL where it can be had.
	 */
	@Configuration(proxyBeanMethods = false)
	static class Database {

		@Bean(destroyMethod = "close")
		TestSchema schema() {
			TestDatabase database = TestDatabase.MYSQL.isAvailable() ? TestDatabase.MYSQL : TestDatabase.H2;
			return database.createEmpty();
		}

		@Bean
		JdbcConnectionDetails connection(TestSchema schema) {
			return new JdbcConnectionDetails() {

				@Override
				public String getJdbcUrl() {
					return schema.jdbcUrl();
				}

				@Override
				public String getUsername() {
					return schema.username();
				}

				@Override
				public String getPassword() {
					return schema.password();
				}

			};
		}

	}

}
