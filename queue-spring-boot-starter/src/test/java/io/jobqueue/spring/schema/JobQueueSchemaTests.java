package io.jobqueue.spring.schema;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import io.jobqueue.JobQueue;
import io.jobqueue.spring.autoconfigure.JobQueueAutoConfiguration;
import io.jobqueue.store.jdbc.Database;
import io.jobqueue.store.jdbc.SchemaCheck;
import io.jobqueue.store.jdbc.SkipLockedProbe;
import io.jobqueue.test.TestDatabase;
import io.jobqueue.test.TestSchema;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * How the queue's tables come into an application's database.
 */
@ParameterizedClass
@EnumSource(TestDatabase.class)
class JobQueueSchemaTests {

	private final TestDatabase server;

	private TestSchema empty;

	private JdbcTemplate sql;

	private ApplicationContextRunner runner;

	JobQueueSchemaTests(TestDatabase server) {
		this.server = server;
	}

	@BeforeEach
	void create() {
		assumeTrue(this.server.isAvailable(), this.server::whyNot);
		this.empty = this.server.createEmpty();
		this.sql = new JdbcTemplate(this.empty.dataSource());
		this.runner = new ApplicationContextRunner()
			.withPropertyValues("spring.datasource.url=" + this.empty.jdbcUrl(),
					"spring.datasource.username=" + this.empty.username(),
					"spring.datasource.password=" + this.empty.password())
			.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
					DataSourceTransactionManagerAutoConfiguration.class, JacksonAutoConfiguration.class,
					JobQueueAutoConfiguration.class));
	}

	@AfterEach
	void close() {
		if (this.empty != null) {
			this.empty.close();
		}
	}

	private void assertThatAJobIsStored(JobQueue queue) {
		assertThat(queue.find(queue.enqueue("any"))).isPresent();
	}

	@Test
	void aDatabaseWithoutAnythingIsMigrated() {
		this.runner.run((context) -> assertThatAJobIsStored(context.getBean(JobQueue.class)));
		assertThat(this.sql.queryForList("SELECT table_name FROM information_schema.tables", String.class))
			.contains(JobQueueSchema.HISTORY_TABLE);
	}

	@Test
	void aDatabaseWithTablesOfTheApplicationIsMigrated() {
		this.sql.execute("CREATE TABLE customer (id INT NOT NULL PRIMARY KEY)");
		this.runner.run((context) -> assertThatAJobIsStored(context.getBean(JobQueue.class)));
		this.runner.run((context) -> assertThatAJobIsStored(context.getBean(JobQueue.class)));
	}

	@Test
	void theApplicationsOwnFlywayIsLeftAlone() {
		this.runner.withConfiguration(AutoConfigurations.of(FlywayAutoConfiguration.class))
			.withPropertyValues("spring.flyway.locations=classpath:application-migrations")
			.run((context) -> {
				assertThat(context).hasNotFailed().hasSingleBean(Flyway.class);
				assertThatAJobIsStored(context.getBean(JobQueue.class));
				assertThat(this.sql.queryForObject("SELECT COUNT(*) FROM customer", Long.class)).isZero();
				assertThat(context.getBean(Flyway.class).info().applied()).singleElement()
					.matches((migration) -> migration.getDescription().equals("customer"));
			});
	}

	@Test
	void tenNodesMayStartAtOnce() throws Exception {
		ExecutorService nodes = Executors.newFixedThreadPool(10);
		try {
			List<Callable<Object>> starts = new ArrayList<>();
			for (int i = 0; i < 10; i++) {
				starts.add(() -> {
					new JobQueueSchema(new Database(this.empty.dataSource()), SchemaMode.MIGRATE).afterPropertiesSet();
					return "started";
				});
			}
			for (Future<Object> start : nodes.invokeAll(starts)) {
				assertThat(start.get()).isEqualTo("started");
			}
		}
		finally {
			nodes.shutdownNow();
		}
		assertThat(new SchemaCheck(new Database(this.empty.dataSource())).problems()).isEmpty();
	}

	@Test
	void validatingNamesWhatIsMissing() {
		this.runner.withPropertyValues("jobqueue.schema=validate")
			.run((context) -> assertThat(context).hasFailed()
				.getFailure()
				.rootCause()
				.isInstanceOf(MissingSchemaException.class)
				.hasMessageContaining("jobqueue_job")
				.hasMessageContaining("jobqueue_archive"));
	}

	@Test
	void tablesMadeByHandFromTheFilesAreValid() {
		Database database = new Database(this.empty.dataSource());
		new ResourceDatabasePopulator(new ClassPathResource(database.dialect().schemaFolder() + "/V1__job_queue.sql"))
			.execute(this.empty.dataSource());
		this.runner.withPropertyValues("jobqueue.schema=validate")
			.run((context) -> assertThatAJobIsStored(context.getBean(JobQueue.class)));
	}

	@Test
	void nothingIsDoneOnDemand() {
		this.runner.withPropertyValues("jobqueue.schema=none").run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(new SchemaCheck(context.getBean(Database.class)).problems()).hasSize(7);
		});
	}

	@Test
	void theDatabasePassesOverLockedRows() {
		Database database = new Database(this.empty.dataSource());
		new JobQueueSchema(database, SchemaMode.MIGRATE).afterPropertiesSet();
		assertThat(new SkipLockedProbe(database).problem()).isEmpty();
		assertThat(this.sql.queryForObject("SELECT COUNT(*) FROM jobqueue_unique_key", Long.class)).isZero();
	}

}
