package io.jobqueue.test.shop;

import java.sql.SQLException;
import java.sql.Statement;

import javax.sql.DataSource;

import io.jobqueue.Job;
import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.test.TestDatabase;
import io.jobqueue.test.TestSchema;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.jdbc.test.autoconfigure.AutoConfigureTestDatabase;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * The tester in tests that roll back, on a real MySQL that a
 * {@link JdbcConnectionDetails} names, as Testcontainers' service connections do.
 */
@AutoConfigureTestDatabase(replace = AutoConfigureTestDatabase.Replace.NONE)
@Import(OnMySqlTests.Connection.class)
class OnMySqlTests extends InATransactionTests {

	private static TestSchema schema;

	@BeforeAll
	static void create() {
		Assumptions.assumeTrue(TestDatabase.MYSQL.isAvailable(), TestDatabase.MYSQL.whyNot());
		schema = TestDatabase.MYSQL.createEmpty();
	}

	@AfterAll
	static void drop() {
		if (schema != null) {
			schema.close();
		}
	}

	/**
	 * On H2 it is noticed too, after many waits for locks.
	 */
	@Test
	void aKeyOrLimitThatAnotherTestHasLockedIsNoticed(@Autowired DataSource dataSource) throws SQLException {
		long ordered = this.jobs.enqueue(NewJob.of("in-order", "one").orderKey("ada"));
		int limit = this.sql.sql("SELECT id FROM jobqueue_limit WHERE name = 'api'").query(Integer.class).single();
		try (java.sql.Connection other = dataSource.getConnection(); Statement statement = other.createStatement()) {
			other.setAutoCommit(false);
			statement
				.execute("INSERT INTO jobqueue_order_key (order_key, changed_at) VALUES ('ada', CURRENT_TIMESTAMP)");
			assertThatIllegalStateException().isThrownBy(this.tester::runDue)
				.withMessageContaining("has locked the order key 'ada'.")
				.withMessageContaining("@ResourceLock");
			other.rollback();
			assertThat(this.tester.runDue().assertNoneFailed().count()).isEqualTo(1);
			statement.execute("INSERT INTO jobqueue_allowance (limit_id, limit_key, changed_at) VALUES (" + limit
					+ ", 'eve', CURRENT_TIMESTAMP)");
			this.jobs.enqueue(NewJob.of("limited", 2).limitKey("eve"));
			assertThatIllegalStateException().isThrownBy(this.tester::runDue)
				.withMessageContaining("the limit 'api' for the key 'eve'");
			other.rollback();
		}
		assertThat(this.jobs.find(ordered)).map(Job::state).contains(JobState.SUCCEEDED);
	}

	@TestConfiguration
	static class Connection {

		@Bean
		JdbcConnectionDetails connection() {
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
