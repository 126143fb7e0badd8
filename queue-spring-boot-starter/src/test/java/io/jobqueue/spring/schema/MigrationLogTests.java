package io.jobqueue.spring.schema;

import io.jobqueue.database.Database;
import io.jobqueue.test.LogLines;
import io.jobqueue.test.TestDatabase;
import io.jobqueue.test.TestSchema;

import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.logging.Log;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Flyway's warning of a server that is newer than itself.
 */
@ExtendWith(OutputCaptureExtension.class)
class MigrationLogTests {

	private static final String WARNING = "newer than the version Flyway has been verified with";

	@ParameterizedTest
	@EnumSource(names = { "MYSQL", "MARIADB" })
	void isNotGivenForTheQueuesOwnMigration(TestDatabase server, CapturedOutput output) {
		assumeTrue(server.isAvailable(), server::whyNot);
		try (TestSchema schema = server.createEmpty()) {
			JobQueueSchema.migrated(new Database(schema.dataSource())).afterPropertiesSet();
			assertThat(output).doesNotContain(WARNING);
		}
	}

	@Test
	void isAllThatIsLeftOut() {
		try (LogLines lines = LogLines.of(MigrationLogTests.class)) {
			Log log = new MigrationLog().createLogger(MigrationLogTests.class);
			log.warn("Using MySQL 99 which is " + WARNING);
			log.warn("another warning");
			log.error("an error", new IllegalStateException("for a test"));
			assertThat(lines.messages()).containsExactly("WARN another warning", "ERROR an error");
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "MYSQL", "MARIADB" })
	void isGivenForTheApplicationsAfterwards(TestDatabase server, CapturedOutput output) {
		assumeTrue(server.isAvailable(), server::whyNot);
		try (TestSchema schema = server.createEmpty(); TestSchema other = server.createEmpty()) {
			Flyway application = Flyway.configure()
				.dataSource(other.dataSource())
				.locations("classpath:application-migrations")
				.load();
			application.migrate();
			assumeTrue(output.getAll().contains(WARNING), "this server is not newer than Flyway");
			JobQueueSchema.migrated(new Database(schema.dataSource())).afterPropertiesSet();
			int before = output.getAll().split(WARNING).length;
			application.migrate();
			assertThat(output.getAll().split(WARNING)).hasSize(before + 1);
		}
	}

}
