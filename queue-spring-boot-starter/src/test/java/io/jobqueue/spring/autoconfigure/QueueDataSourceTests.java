package io.jobqueue.spring.autoconfigure;

import java.sql.SQLException;
import java.util.UUID;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.jobqueue.JobQueue;
import io.jobqueue.database.Database;
import org.junit.jupiter.api.Test;
import org.mockito.Answers;

import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Which of several DataSources is the queue's.
 */
class QueueDataSourceTests extends AutoConfigurationTests {

	@Test
	void severalDataSourcesNeedAMark() {
		this.runner.withUserConfiguration(TwoDataSources.class)
			.run((context) -> assertThat(context).hasFailed()
				.getFailure()
				.rootCause()
				.isInstanceOf(AmbiguousDataSourceException.class));
	}

	@Test
	void onlyOneDataSourceMayBeMarked() {
		this.runner.withUserConfiguration(TwoMarked.class)
			.run((context) -> assertThat(context).hasFailed()
				.getFailure()
				.rootCause()
				.isInstanceOf(AmbiguousDataSourceException.class)
				.hasMessageContaining("2 DataSources are marked"));
	}

	@Test
	void aDatabaseThatIsNotThereFailsTheStartWithItsReason() {
		this.runner
			.withPropertyValues("spring.datasource.url=jdbc:mysql://127.0.0.1:1/none?connectTimeout=1000",
					"spring.datasource.hikari.connection-timeout=1000")
			.run((context) -> {
				assertThat(context).hasFailed();
				FailureAnalysis analysis = new JobQueueFailureAnalyzer().analyze(context.getStartupFailure());
				assertThat(analysis.getDescription()).contains("cannot connect to its database", "Connection refused");
				assertThat(analysis.getAction()).contains("spring.datasource.url");
			});
	}

	@Test
	void theMarkedDataSourceIsTheQueues() {
		this.runner.withUserConfiguration(MarkedDataSource.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBean(Database.class).dataSource()).isSameAs(context.getBean("second"));
			JobQueue queue = context.getBean(JobQueue.class);
			PlatformTransactionManager other = context.getBean("firstTransactions", PlatformTransactionManager.class);
			assertThatIllegalStateException()
				.isThrownBy(
						() -> new TransactionTemplate(other).executeWithoutResult((status) -> queue.enqueue("lost")))
				.withMessageContaining("@JobQueueDataSource");
			PlatformTransactionManager own = context.getBean("secondTransactions", PlatformTransactionManager.class);
			long id = new TransactionTemplate(own).execute((status) -> queue.enqueue("kept"));
			assertThat(queue.find(id)).isPresent();
		});
	}

	@Test
	void anUnsupportedDatabaseFailsTheStartWithAnAdvice() {
		this.runner.withUserConfiguration(Postgres.class).run((context) -> {
			assertThat(context).hasFailed();
			FailureAnalysis analysis = new JobQueueFailureAnalyzer().analyze(context.getStartupFailure());
			assertThat(analysis.getDescription()).contains("MySQL, MariaDB and H2", "PostgreSQL 18.0");
			assertThat(analysis.getAction()).contains("@JobQueueDataSource", "jobqueue.enabled=false");
		});
		this.runner.withUserConfiguration(Postgres.class)
			.withPropertyValues("jobqueue.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	static DataSource h2() {
		HikariDataSource dataSource = new HikariDataSource();
		dataSource.setJdbcUrl("jdbc:h2:mem:" + UUID.randomUUID());
		return dataSource;
	}

	@Configuration(proxyBeanMethods = false)
	static class TwoDataSources {

		/** A name that a parameter might have, by which Spring would choose. */
		@Bean
		DataSource dataSource() {
			return h2();
		}

		@Bean
		DataSource second() {
			return h2();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoMarked {

		@Bean
		@JobQueueDataSource
		DataSource first() {
			return h2();
		}

		@Bean
		@JobQueueDataSource
		DataSource second() {
			return h2();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class MarkedDataSource {

		@Bean
		@Primary
		DataSource first() {
			return h2();
		}

		@Bean
		@JobQueueDataSource
		DataSource second() {
			return h2();
		}

		@Bean
		@Primary
		PlatformTransactionManager firstTransactions(DataSource first) {
			return new JdbcTransactionManager(first);
		}

		@Bean
		PlatformTransactionManager secondTransactions(@JobQueueDataSource DataSource second) {
			return new JdbcTransactionManager(second);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Postgres {

		@Bean
		DataSource postgres() throws SQLException {
			DataSource dataSource = mock(DataSource.class, Answers.RETURNS_DEEP_STUBS);
			given(dataSource.getConnection().getMetaData().getDatabaseProductName()).willReturn("PostgreSQL");
			given(dataSource.getConnection().getMetaData().getDatabaseProductVersion()).willReturn("18.0");
			return dataSource;
		}

	}

}
