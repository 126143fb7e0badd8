package io.jobqueue.store.jdbc;

import io.jobqueue.database.Database;
import io.jobqueue.test.TestDatabase;
import io.jobqueue.test.TestSchema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Tables that were made by hand lack nothing that a statement names.
 */
@ParameterizedClass(name = "{0}")
@EnumSource(value = TestDatabase.class, names = { "MYSQL", "MARIADB" })
class SchemaCheckTests {

	@Parameter
	TestDatabase server;

	@ParameterizedTest
	@CsvSource({ "jobqueue_job, jobqueue_job_claim", "jobqueue_job, jobqueue_job_expiry",
			"jobqueue_archive, jobqueue_archive_finished", "jobqueue_unique_key, jobqueue_unique_key_expiry",
			"jobqueue_schedule, jobqueue_schedule_due", "jobqueue_tick, jobqueue_tick_time" })
	void anIndexOfAnotherNameIsMissing(String table, String index) {
		assumeTrue(this.server.isAvailable(), this.server::whyNot);
		try (TestSchema schema = this.server.create()) {
			SchemaCheck check = new SchemaCheck(new Database(schema.dataSource()));
			assertThat(check.problems()).isEmpty();
			new JdbcTemplate(schema.dataSource())
				.execute("ALTER TABLE " + table + " RENAME INDEX " + index + " TO made_by_hand");
			assertThat(check.problems()).singleElement().asString().startsWith(table).contains(index);
		}
	}

	@Test
	void aTableThatIsMissingIsNamedOnce() {
		assumeTrue(this.server.isAvailable(), this.server::whyNot);
		try (TestSchema schema = this.server.createEmpty()) {
			assertThat(new SchemaCheck(new Database(schema.dataSource())).problems()).hasSize(26);
		}
	}

}
