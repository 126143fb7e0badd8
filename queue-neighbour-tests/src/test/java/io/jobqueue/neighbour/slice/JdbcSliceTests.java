package io.jobqueue.neighbour.slice;

import io.jobqueue.JobQueue;
import io.jobqueue.NewJob;
import io.jobqueue.test.AutoConfigureJobQueue;
import io.jobqueue.test.JobQueueTester;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.data.jpa.test.autoconfigure.DataJpaTest;
import org.springframework.boot.jdbc.test.autoconfigure.JdbcTest;
import org.springframework.boot.jpa.test.autoconfigure.TestEntityManager;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.TestPropertySource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Slices with a database do not have the queue unless they ask for it.
 */
class JdbcSliceTests {

	private static final String SCRIPTS = "spring.sql.init.schema-locations=classpath:ledger.sql";

	@Nested
	@JdbcTest
	class Jdbc {

		@Autowired
		ApplicationContext context;

		@Test
		void hasNoQueue() {
			assertThat(this.context.getBeanNamesForType(JobQueue.class)).isEmpty();
		}

	}

	@Nested
	@DataJpaTest
	class DataJpa {

		@Autowired
		ApplicationContext context;

		@Test
		void hasNoQueue() {
			assertThat(this.context.getBeanNamesForType(JobQueue.class)).isEmpty();
		}

	}

	@Nested
	@JdbcTest
	@AutoConfigureJobQueue
	@Import(Counts.class)
	@TestPropertySource(properties = { "spring.sql.init.mode=always", SCRIPTS })
	class JdbcWithQueue {

		@Autowired
		JobQueueTester tester;

		@Autowired
		JobQueue jobs;

		@Autowired
		JdbcClient sql;

		@Test
		void runsJobs() {
			runsAJob(this.jobs, this.tester, this.sql);
		}

	}

	@Nested
	@DataJpaTest
	@AutoConfigureJobQueue
	@Import(Counts.class)
	@TestPropertySource(properties = { "spring.sql.init.mode=always", SCRIPTS })
	class DataJpaWithQueue {

		@Autowired
		JobQueueTester tester;

		@Autowired
		JobQueue jobs;

		@Autowired
		JdbcClient sql;

		@Autowired
		TestEntityManager entities;

		@Test
		void runsJobs() {
			runsAJob(this.jobs, this.tester, this.sql);
			assertThat(this.entities).isNotNull();
		}

	}

	/** With everything of the application, and its web server left out. */
	@Nested
	@SpringBootTest(properties = { "spring.sql.init.mode=always", SCRIPTS, "spring.main.lazy-initialization=true" })
	@AutoConfigureJobQueue
	class LazilyInitialized {

		@Autowired
		JobQueueTester tester;

		@Autowired
		JobQueue jobs;

		@Autowired
		JdbcClient sql;

		@Test
		void findsHandlersAndRunsJobs() {
			runsAJob(this.jobs, this.tester, this.sql);
		}

	}

	private static void runsAJob(JobQueue jobs, JobQueueTester tester, JdbcClient sql) {
		jobs.enqueue(NewJob.of("count", 7L));
		assertThat(tester.runDue().assertNoneFailed().count()).isEqualTo(1);
		assertThat(sql.sql("SELECT COUNT(*) FROM ledger").query(Long.class).single()).isEqualTo(1);
	}

}
