package io.jobqueue.test.shop;

import io.jobqueue.test.TestDatabase;
import io.jobqueue.test.TestSchema;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Assumptions;

import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.jdbc.test.autoconfigure.AutoConfigureTestDatabase;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

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
