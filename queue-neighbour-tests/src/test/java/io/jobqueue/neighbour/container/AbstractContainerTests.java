package io.jobqueue.neighbour.container;

import io.jobqueue.JobHandler;
import io.jobqueue.JobQueue;
import io.jobqueue.NewJob;
import io.jobqueue.test.JobQueueTest;
import io.jobqueue.test.JobQueueTester;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.transaction.TestTransaction;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A test of handlers on a MySQL of Testcontainers, as the guide has it. Nothing has to be
 * named, even where the test commits: the database ends with the test.
 */
@JobQueueTest
@Import(AbstractContainerTests.Writes.class)
abstract class AbstractContainerTests {

	@Autowired
	JobQueueTester tester;

	@Autowired
	JobQueue jobs;

	@Autowired
	JdbcClient sql;

	@Test
	@Transactional
	void aTestThatRollsBackRunsOnIt() {
		assertThat(TestTransaction.isActive()).isTrue();
		runs();
	}

	@Test
	@Transactional(propagation = Propagation.NOT_SUPPORTED)
	void aTestThatCommitsRunsOnIt() {
		runs();
		this.tester.clear();
		assertThat(this.sql.sql("SELECT COUNT(*) FROM jobqueue_archive").query(Long.class).single()).isZero();
	}

	private void runs() {
		this.jobs.enqueue(NewJob.of("tell-version"));
		assertThat(this.tester.runDue().assertNoneFailed().count()).isEqualTo(1);
		assertThat(this.sql.sql("SELECT @@version_comment").query(String.class).single()).isNotBlank();
	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	static class Application {

	}

	static class Writes {

		@JobHandler(value = "tell-version", transactional = true)
		void tell() {
		}

	}

}
