package io.jobqueue.neighbour.start;

import javax.sql.DataSource;

import io.jobqueue.JobHandler;
import io.jobqueue.JobQueue;
import io.jobqueue.NewJob;
import io.jobqueue.spring.autoconfigure.JobQueueDataSource;
import io.jobqueue.test.AutoConfigureJobQueue;
import io.jobqueue.test.JobQueueTester;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.test.context.transaction.TestTransaction;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * The queue lives in the second of two databases.
 */
@SpringBootTest(classes = TwoDataSourcesTests.Application.class,
		properties = { "spring.liquibase.enabled=false", "spring.data.jpa.repositories.enabled=false" })
@AutoConfigureJobQueue
class TwoDataSourcesTests {

	@Autowired
	JobQueueTester tester;

	@Autowired
	JobQueue jobs;

	@Autowired
	@Qualifier("queueDataSource")
	DataSource second;

	@AfterEach
	void clear() {
		if (!TestTransaction.isActive()) {
			this.tester.clear();
			JdbcClient.create(this.second).sql("DELETE FROM ledger").update();
		}
	}

	private long rows() {
		return JdbcClient.create(this.second).sql("SELECT COUNT(*) FROM ledger").query(Long.class).single();
	}

	@Test
	@Transactional("queueTransactions")
	void aTransactionOfTheQueuesDatabaseIsJoined() {
		this.jobs.enqueue(NewJob.of("write", 1L));
		this.tester.runDue().assertNoneFailed();
		assertThat(rows()).isEqualTo(1);
		TestTransaction.end();
		assertThat(rows()).isZero();
	}

	@Test
	@Transactional
	void aTransactionOfTheOtherOneIsRefused() {
		assertThatIllegalStateException().isThrownBy(() -> this.jobs.enqueue(NewJob.of("write", 1L)))
			.withMessageContaining("@JobQueueDataSource");
	}

	@Test
	void transactionalHandlersUseTheQueuesDatabase() {
		this.jobs.enqueue(NewJob.of("write", 1L));
		this.jobs.enqueue(NewJob.of("write", -1L));
		assertThat(this.tester.runDue().failed().count()).isEqualTo(1);
		assertThat(rows()).as("of which one was rolled back").isEqualTo(1);
	}

	@SpringBootConfiguration
	@EnableAutoConfiguration(exclude = HibernateJpaAutoConfiguration.class)
	@Import(Writes.class)
	static class Application {

		@Bean
		@Primary
		DataSource dataSource() {
			return new EmbeddedDatabaseBuilder().setType(EmbeddedDatabaseType.H2).generateUniqueName(true).build();
		}

		@Bean
		@JobQueueDataSource
		DataSource queueDataSource() {
			return new EmbeddedDatabaseBuilder().setType(EmbeddedDatabaseType.H2)
				.generateUniqueName(true)
				.addScript("ledger.sql")
				.build();
		}

		@Bean
		@Primary
		PlatformTransactionManager transactions(DataSource dataSource) {
			return new JdbcTransactionManager(dataSource);
		}

		@Bean
		@JobQueueDataSource
		PlatformTransactionManager queueTransactions(@Qualifier("queueDataSource") DataSource dataSource) {
			return new JdbcTransactionManager(dataSource);
		}

	}

	static class Writes {

		private final JdbcClient sql;

		Writes(@Qualifier("queueDataSource") DataSource dataSource) {
			this.sql = JdbcClient.create(dataSource);
		}

		@JobHandler(value = "write", transactional = true)
		void write(Long id) {
			this.sql.sql("INSERT INTO ledger (id) VALUES (?)").param(id).update();
			if (id < 0) {
				throw new IllegalArgumentException("negative");
			}
		}

	}

}
