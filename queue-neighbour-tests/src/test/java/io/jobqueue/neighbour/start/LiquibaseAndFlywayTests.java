package io.jobqueue.neighbour.start;

import io.jobqueue.JobQueue;
import io.jobqueue.NewJob;
import io.jobqueue.JobHandler;
import io.jobqueue.test.AutoConfigureJobQueue;
import io.jobqueue.test.JobQueueTester;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application that makes its own tables by Liquibase or Flyway: the queue's come
 * beside them, and neither takes the other's for its own.
 */
class LiquibaseAndFlywayTests {

	@Nested
	@SpringBootTest(classes = Application.class,
			properties = { "spring.liquibase.enabled=true", "spring.liquibase.change-log=classpath:changes.yaml",
					"spring.datasource.url=jdbc:h2:mem:liquibase;DB_CLOSE_DELAY=-1",
					"spring.data.jpa.repositories.enabled=false" })
	@AutoConfigureJobQueue
	class Liquibase {

		@Autowired
		JobQueueTester tester;

		@Autowired
		JobQueue jobs;

		@Autowired
		JdbcClient sql;

		@Test
		void makesItsTablesBesideTheQueues() {
			worksBeside(this.jobs, this.tester, this.sql, "databasechangelog");
		}

	}

	@Nested
	@SpringBootTest(classes = Application.class,
			properties = { "spring.flyway.enabled=true", "spring.flyway.locations=classpath:changes",
					"spring.datasource.url=jdbc:h2:mem:flyway;DB_CLOSE_DELAY=-1",
					"spring.data.jpa.repositories.enabled=false" })
	@AutoConfigureJobQueue
	class Flyway {

		@Autowired
		JobQueueTester tester;

		@Autowired
		JobQueue jobs;

		@Autowired
		JdbcClient sql;

		@Test
		void makesItsTablesBesideTheQueues() {
			worksBeside(this.jobs, this.tester, this.sql, "\"flyway_schema_history\" WHERE \"version\" IS NOT NULL");
		}

	}

	private static void worksBeside(JobQueue jobs, JobQueueTester tester, JdbcClient sql, String history) {
		jobs.enqueue(NewJob.of("write", 1L));
		tester.runDue().assertNoneFailed();
		assertThat(sql.sql("SELECT COUNT(*) FROM ledger").query(Long.class).single()).isEqualTo(1);
		assertThat(sql.sql("SELECT * FROM " + history).query().listOfRows()).as("the application's changes").hasSize(1);
	}

	@SpringBootConfiguration
	@EnableAutoConfiguration(exclude = HibernateJpaAutoConfiguration.class)
	@Import(Writes.class)
	static class Application {

	}

	static class Writes {

		private final JdbcClient sql;

		Writes(JdbcClient sql) {
			this.sql = sql;
		}

		@JobHandler("write")
		void write(Long id) {
			this.sql.sql("INSERT INTO ledger (id) VALUES (?)").param(id).update();
		}

	}

}
