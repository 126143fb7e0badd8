package io.jobqueue.spring.schema;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

import javax.sql.DataSource;

import io.jobqueue.ClaimStrategy;
import io.jobqueue.JobQueue;
import io.jobqueue.database.Database;
import io.jobqueue.database.SkipLockedProbe;
import io.jobqueue.spring.autoconfigure.JobQueueAutoConfiguration;
import io.jobqueue.store.jdbc.SchemaCheck;
import io.jobqueue.maintenance.QueueModes;
import io.jobqueue.node.QueueNode;
import io.jobqueue.store.Queues;
import io.jobqueue.worker.WorkerSettings;
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
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
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

	private String user = "";

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
		if (!this.user.isEmpty()) {
			this.sql.execute("DROP USER " + this.user);
		}
		if (this.empty != null) {
			this.empty.close();
		}
	}

	private void assertThatAJobIsStored(JobQueue queue) {
		assertThat(queue.find(queue.enqueue("any"))).isPresent();
	}

	private String folder() {
		return new Database(this.empty.dataSource()).dialect().schemaFolder();
	}

	private void runTheFileByHand() {
		new ResourceDatabasePopulator(new ClassPathResource(folder() + "/V1__job_queue.sql"))
			.execute(this.empty.dataSource());
	}

	private Flyway flyway() {
		return Flyway.configure()
			.dataSource(this.empty.dataSource())
			.table(JobQueueSchema.HISTORY_TABLE)
			.locations("classpath:" + folder())
			.baselineVersion("0")
			.baselineOnMigrate(true)
			.load();
	}

	/** Which versions the history names, and whether they went well. */
	private Map<String, Boolean> history() {
		Map<String, Boolean> history = new TreeMap<>();
		this.sql.query("SELECT * FROM " + quoted(JobQueueSchema.HISTORY_TABLE), (row) -> {
			if (row.getString("version") != null) {
				history.put(row.getString("version"), row.getBoolean("success"));
			}
		});
		return history;
	}

	private void markAsFailed() {
		this.sql.execute("UPDATE %s SET %s = FALSE".formatted(quoted(JobQueueSchema.HISTORY_TABLE), quoted("success")));
	}

	private String quoted(String name) {
		return this.server.isH2() ? '"' + name + '"' : name;
	}

	private String[] userWithoutDdl() {
		return userWithRights("SELECT, INSERT, UPDATE, DELETE");
	}

	private String[] userWithRights(String names) {
		String url = this.empty.jdbcUrl();
		String name = "u" + UUID.randomUUID().toString().substring(0, 8);
		String rights = "GRANT " + names + " ON ";
		if (this.server.isH2()) {
			// Only an administrator may connect with settings in the URL.
			url = url.substring(0, url.indexOf(';'));
			this.sql.execute("CREATE USER " + name + " PASSWORD 'secret'");
			this.sql.execute(rights + "SCHEMA PUBLIC TO " + name);
		}
		else {
			this.sql.execute("CREATE USER " + name + " IDENTIFIED BY 'secret'");
			this.sql.execute(rights + this.sql.queryForObject("SELECT DATABASE()", String.class) + ".* TO " + name);
		}
		this.user = name;
		return new String[] { "spring.datasource.url=" + url, "spring.datasource.username=" + name,
				"spring.datasource.password=secret" };
	}

	private static <T extends Throwable> T findCause(Throwable failure, Class<T> type) {
		Throwable current = failure;
		while (current != null && !type.isInstance(current)) {
			current = current.getCause();
		}
		assertThat(current).as("of %s", failure).isNotNull();
		return type.cast(current);
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
		startTenNodesAtOnce();
		assertThat(new SchemaCheck(new Database(this.empty.dataSource())).problems()).isEmpty();
	}

	@Test
	void aFailureThatPassesIsTriedAgain() {
		JobQueueSchema.migrated(new Database(failing(1))).afterPropertiesSet();
		assertThat(history()).isEqualTo(Map.of("1", true));
	}

	@Test
	void aFailureThatStaysIsNamedEvenIfItHasNoMessage() {
		assertThatExceptionOfType(SchemaMigrationException.class)
			.isThrownBy(JobQueueSchema.migrated(new Database(failing(Integer.MAX_VALUE)))::afterPropertiesSet)
			.withMessageContaining("ConcurrentModificationException");
	}

	/** The database, whose driver fails by accident so many times once Flyway asks it. */
	private DataSource failing(int times) {
		AtomicInteger failures = new AtomicInteger(times);
		return new DelegatingDataSource(this.empty.dataSource()) {
			@Override
			public Connection getConnection() throws SQLException {
				boolean flyway = StackWalker.getInstance()
					.walk((frames) -> frames.anyMatch((frame) -> frame.getClassName().startsWith("org.flywaydb")));
				if (flyway && failures.getAndDecrement() > 0) {
					throw new SQLException("General error", "HY000", 50000, new ConcurrentModificationException());
				}
				return super.getConnection();
			}
		};
	}

	@Test
	void tenNodesMayStartAtOnceAfterAFailure() throws Exception {
		flyway().migrate();
		markAsFailed();
		startTenNodesAtOnce();
		assertThat(history()).isEqualTo(Map.of("1", true));
	}

	private void startTenNodesAtOnce() throws Exception {
		ExecutorService nodes = Executors.newFixedThreadPool(10);
		try {
			List<Callable<Object>> starts = new ArrayList<>();
			for (int i = 0; i < 10; i++) {
				starts.add(() -> {
					JobQueueSchema.migrated(new Database(this.empty.dataSource())).afterPropertiesSet();
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
	}

	@Test
	void tablesMadeByHandAreTakenOver() {
		runTheFileByHand();
		this.runner.run((context) -> assertThatAJobIsStored(context.getBean(JobQueue.class)));
		assertThat(history()).isEqualTo(Map.of("0", true, "1", true));
	}

	@Test
	void aTableThatIsMissingAmongThoseMadeByHandIsAdded() {
		runTheFileByHand();
		this.sql.execute("DROP TABLE jobqueue_queue");
		this.runner.run((context) -> assertThatAJobIsStored(context.getBean(JobQueue.class)));
		assertThat(history()).isEqualTo(Map.of("0", true, "1", true));
	}

	@Test
	void aMigrationThatWasCutOffIsFinished() {
		flyway().baseline();
		runTheFileByHand();
		List.of("archive", "error", "unique_key", "session", "queue")
			.forEach((table) -> this.sql.execute("DROP TABLE jobqueue_" + table));
		this.runner.run((context) -> assertThatAJobIsStored(context.getBean(JobQueue.class)));
		assertThat(history()).isEqualTo(Map.of("0", true, "1", true));
	}

	@Test
	void aMigrationThatFailedEarlierIsRunAgain() {
		flyway().migrate();
		this.sql.execute("DROP TABLE jobqueue_queue");
		markAsFailed();
		this.runner.run((context) -> assertThatAJobIsStored(context.getBean(JobQueue.class)));
		assertThat(history()).isEqualTo(Map.of("1", true));
	}

	@Test
	void aMigrationThatFailsNamesItsCause() {
		assumeTrue(this.server != TestDatabase.MARIADB, "this one is started without users");
		flyway().baseline();
		this.runner.withPropertyValues(userWithoutDdl()).run((context) -> {
			assertThat(context).hasFailed();
			SchemaMigrationException failure = findCause(context.getStartupFailure(), SchemaMigrationException.class);
			assertThat(failure).hasRootCauseInstanceOf(SQLException.class)
				.hasMessageContaining(NestedExceptionUtils.getMostSpecificCause(failure).getMessage());
			assertThat(failure.action()).contains("CREATE", "jobqueue.schema=validate", JobQueueSchema.HISTORY_TABLE);
		});
		assertThat(history()).isEqualTo(Map.of("0", true, "1", false));
		this.runner.run((context) -> assertThatAJobIsStored(context.getBean(JobQueue.class)));
		assertThat(history()).isEqualTo(Map.of("0", true, "1", true));
	}

	@Test
	void rightsToCreateTablesAndIndexesAreEnough() {
		assumeTrue(this.server == TestDatabase.MYSQL, "of the others one has no such rights, and one no users");
		this.runner.withPropertyValues(userWithRights("SELECT, INSERT, UPDATE, DELETE, CREATE, INDEX"))
			.run((context) -> assertThatAJobIsStored(context.getBean(JobQueue.class)));
		assertThat(history()).isEqualTo(Map.of("1", true));
	}

	@Test
	void aUserThatMayOnlyReadIsToldWhatToGrant() {
		assumeTrue(this.server == TestDatabase.MYSQL, "of the others one has no such rights, and one no users");
		this.runner.run((context) -> assertThat(context).hasNotFailed());
		this.runner.withPropertyValues(userWithRights("SELECT"))
			.withPropertyValues("jobqueue.schema=validate")
			.run((context) -> assertThatThrownBy(
					() -> new ClaimCheck(context.getBean(QueueNode.class), WorkerSettings.named("any"),
							new QueueModes(context.getBean(Queues.class), Map.of(), Duration.ofMinutes(1)),
							ClaimStrategy.AUTO)
						.run())
				.isInstanceOf(MissingRightsException.class)
				.hasMessageContaining("denied"));
	}

	@Test
	void aHistoryOfOtherFilesIsRefused() {
		flyway().migrate();
		this.sql.execute("UPDATE %s SET %s = 1 WHERE %s = '1'".formatted(quoted(JobQueueSchema.HISTORY_TABLE),
				quoted("checksum"), quoted("version")));
		this.runner.run((context) -> {
			assertThat(context).hasFailed();
			assertThat(findCause(context.getStartupFailure(), SchemaMigrationException.class))
				.hasMessageContaining("checksum mismatch");
		});
	}

	@Test
	void aFailedMigrationOfANewerVersionIsLeftToIt() {
		flyway().migrate();
		this.sql.update("INSERT INTO " + quoted(JobQueueSchema.HISTORY_TABLE) + " VALUES (99, '99', 'newer', 'SQL', "
				+ "'V99__newer.sql', 1, 'newer', CURRENT_TIMESTAMP, 1, FALSE)");
		this.runner.run((context) -> assertThatAJobIsStored(context.getBean(JobQueue.class)));
		assertThat(history()).isEqualTo(Map.of("1", true, "99", false));
	}

	@Test
	void aTableOfAnotherShapeIsNotTakenForTheQueues() {
		this.sql.execute("CREATE TABLE jobqueue_payload (job_id BIGINT NOT NULL PRIMARY KEY)");
		this.runner.run((context) -> {
			assertThat(context).hasFailed();
			MissingSchemaException failure = findCause(context.getStartupFailure(), MissingSchemaException.class);
			assertThat(failure).hasMessageContaining("jobqueue_payload");
			assertThat(failure.action()).contains("dropped", JobQueueSchema.HISTORY_TABLE);
		});
		this.sql.execute("DROP TABLE jobqueue_payload");
		this.sql.execute("DROP TABLE " + quoted(JobQueueSchema.HISTORY_TABLE));
		this.runner.run((context) -> assertThatAJobIsStored(context.getBean(JobQueue.class)));
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
		runTheFileByHand();
		this.runner.withPropertyValues("jobqueue.schema=validate")
			.run((context) -> assertThatAJobIsStored(context.getBean(JobQueue.class)));
	}

	@Test
	void nothingIsDoneOnDemand() {
		this.runner.withPropertyValues("jobqueue.schema=none").run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(new SchemaCheck(context.getBean(Database.class)).problems()).hasSize(26);
		});
	}

	@Test
	void theDatabasePassesOverLockedRows() {
		Database database = new Database(this.empty.dataSource());
		JobQueueSchema.migrated(database).afterPropertiesSet();
		assertThat(new SkipLockedProbe(database).problem()).isEmpty();
		assertThat(this.sql.queryForObject("SELECT COUNT(*) FROM jobqueue_unique_key", Long.class)).isZero();
	}

}
