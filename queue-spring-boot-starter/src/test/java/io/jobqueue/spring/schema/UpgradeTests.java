package io.jobqueue.spring.schema;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.jobqueue.JobHandler;
import io.jobqueue.JobQueue;
import io.jobqueue.JobState;
import io.jobqueue.database.Database;
import io.jobqueue.spring.autoconfigure.JobQueueAutoConfiguration;
import io.jobqueue.spring.autoconfigure.JobQueueSchedulesAutoConfiguration;
import io.jobqueue.spring.autoconfigure.JobQueueWorkerAutoConfiguration;
import io.jobqueue.test.TestDatabase;
import io.jobqueue.test.TestSchema;
import org.awaitility.Awaitility;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.MigrationInfo;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * An application of this version starts on the tables of each earlier one, with jobs in
 * them, and runs these. The first version is 1.
 */
class UpgradeTests {

	static Stream<Arguments> versions() {
		return Stream.of(TestDatabase.values())
			.filter(TestDatabase::isAvailable)
			.flatMap((database) -> versionsOf(database).stream().map((version) -> Arguments.of(database, version)));
	}

	private static List<String> versionsOf(TestDatabase database) {
		try (TestSchema schema = database.createEmpty()) {
			return Stream.of(flyway(schema, "latest").info().pending())
				.map(MigrationInfo::getVersion)
				.map(Object::toString)
				.toList();
		}
	}

	private static Flyway flyway(TestSchema schema, String target) {
		return Flyway.configure()
			.dataSource(schema.dataSource())
			.table(JobQueueSchema.HISTORY_TABLE)
			.locations("classpath:" + new Database(schema.dataSource()).dialect().schemaFolder())
			.target(target)
			.load();
	}

	@ParameterizedTest
	@MethodSource("versions")
	void jobsOfAnEarlierVersionRun(TestDatabase database, String version) {
		try (TestSchema schema = database.createEmpty()) {
			assumeTrue(flyway(schema, version).migrate().success);
			JdbcTemplate sql = new JdbcTemplate(schema.dataSource());
			// By the contract for other languages, which holds for all versions.
			sql.update("INSERT INTO jobqueue_job (type, payload) VALUES ('old', '\"written before\"')");
			long id = sql.queryForObject("SELECT MAX(id) FROM jobqueue_job", Long.class);
			new ApplicationContextRunner()
				.withPropertyValues("spring.datasource.url=" + schema.jdbcUrl(),
						"spring.datasource.username=" + schema.username(),
						"spring.datasource.password=" + schema.password())
				.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
						DataSourceTransactionManagerAutoConfiguration.class, JacksonAutoConfiguration.class,
						JobQueueAutoConfiguration.class, JobQueueSchedulesAutoConfiguration.class,
						JobQueueWorkerAutoConfiguration.class))
				.withBean(Old.class)
				.run((context) -> {
					assertThat(context).hasNotFailed();
					JobQueue jobs = context.getBean(JobQueue.class);
					Awaitility.await()
						.atMost(Duration.ofSeconds(30))
						.until(() -> jobs.find(id).orElseThrow().state() == JobState.SUCCEEDED);
					assertThat(context.getBean(Old.class).seen).isEqualTo("written before");
					assertThat(flyway(schema, "latest").info().pending()).isEmpty();
				});
		}
	}

	static class Old {

		private volatile String seen = "";

		@JobHandler("old")
		void run(String payload) {
			this.seen = payload;
		}

	}

}
