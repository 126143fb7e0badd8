package io.jobqueue.spring.autoconfigure;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.sql.DataSource;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.jobqueue.JobHandler;
import io.jobqueue.database.Database;
import io.jobqueue.spring.CannotStartException;
import io.jobqueue.spring.handler.InvalidJobHandlerException;
import io.jobqueue.spring.schema.JobQueueSchema;
import io.jobqueue.spring.schema.MissingRightsException;
import io.jobqueue.spring.schema.MissingSchemaException;
import io.jobqueue.spring.schema.NoSkipLockedException;
import io.jobqueue.spring.schema.SchemaMigrationException;
import io.jobqueue.spring.schema.UnreachableDatabaseException;
import io.jobqueue.spring.schema.UnsuitableDatabaseException;
import io.jobqueue.spring.worker.UnsuitableWorkerException;
import io.jobqueue.test.TestDatabase;
import io.jobqueue.test.TestSchema;
import io.jobqueue.test.Wire;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Whatever the start is refused for, Spring Boot prints what is wrong and what to do
 * about it, instead of a stack trace.
 */
class StartRefusalTests {

	private static final Map<Class<? extends CannotStartException>, UnaryOperator<ApplicationContextRunner>> ON_H2 = Map
		.of(UnsuitableDatabaseException.class,
				(runner) -> runner.withPropertyValues("jobqueue.worker.claim=update-limit"),
				UnreachableDatabaseException.class,
				(runner) -> runner.withPropertyValues(
						"spring.datasource.url=jdbc:mysql://127.0.0.1:1/none?connectTimeout=1000",
						"spring.datasource.hikari.connection-timeout=1000"),
				MissingSchemaException.class, (runner) -> runner.withPropertyValues("jobqueue.schema=validate"),
				SchemaMigrationException.class, StartRefusalTests::withOtherHistory, AmbiguousDataSourceException.class,
				(runner) -> runner.withBean("first", DataSource.class, StartRefusalTests::embedded)
					.withBean("second", DataSource.class, StartRefusalTests::embedded),
				UnsuitableWorkerException.class,
				(runner) -> runner.withPropertyValues("spring.datasource.hikari.maximum-pool-size=2"),
				InvalidJobHandlerException.class, (runner) -> runner.withBean(Private.class));

	private static final Set<Class<? extends CannotStartException>> ON_MYSQL = Set.of(MissingRightsException.class,
			NoSkipLockedException.class);

	/** No context of this build has it. */
	private static final Class<? extends CannotStartException> OLD = OldSpringBootException.class;

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID())
		.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
				DataSourceTransactionManagerAutoConfiguration.class, JacksonAutoConfiguration.class,
				JobQueueAutoConfiguration.class, JobQueueSchedulesAutoConfiguration.class,
				JobQueueWorkerAutoConfiguration.class));

	static Set<Class<? extends CannotStartException>> onH2() {
		return ON_H2.keySet();
	}

	@ParameterizedTest
	@MethodSource("onH2")
	void aRefusalIsPrintedWithWhatToDo(Class<? extends CannotStartException> refusal) {
		ON_H2.get(refusal)
			.apply(this.runner)
			.run((context) -> assertThatIsPrinted(context.getStartupFailure(), refusal));
	}

	@Test
	void soAreThoseThatAServerIsNeededFor() {
		assumeTrue(TestDatabase.MYSQL.isAvailable(), TestDatabase.MYSQL::whyNot);
		try (TestSchema schema = TestDatabase.MYSQL.createEmpty(); Wire wire = new Wire(schema.jdbcUrl())) {
			this.runner
				.withPropertyValues("spring.datasource.url=" + schema.jdbcUrl(),
						"spring.datasource.username=" + schema.username(),
						"spring.datasource.password=" + schema.password())
				.run((context) -> assertThat(context).hasNotFailed());
			JdbcTemplate sql = new JdbcTemplate(schema.dataSource());
			String name = "u" + UUID.randomUUID().toString().substring(0, 8);
			sql.execute("CREATE USER " + name + " IDENTIFIED BY 'secret'");
			sql.execute("GRANT SELECT ON " + sql.queryForObject("SELECT DATABASE()", String.class) + ".* TO " + name);
			this.runner
				.withPropertyValues("spring.datasource.url=" + schema.jdbcUrl(), "spring.datasource.username=" + name,
						"spring.datasource.password=secret", "jobqueue.schema=validate")
				.run((context) -> assertThatIsPrinted(context.getStartupFailure(), MissingRightsException.class));
			sql.execute("DROP USER " + name);
			wire.omit(" SKIP LOCKED");
			this.runner
				.withPropertyValues("spring.datasource.url=" + wire.jdbcUrl(),
						"spring.datasource.username=" + schema.username(),
						"spring.datasource.password=" + schema.password(), "jobqueue.worker.claim=skip-locked")
				.run((context) -> assertThatIsPrinted(context.getStartupFailure(), NoSkipLockedException.class));
		}
	}

	@Test
	void soIsAnOldSpringBoot() {
		assertThatIsPrinted(catchThrowable(() -> BootVersion.check("4.0.3")), OLD);
	}

	@Test
	void noneIsForgotten() {
		Set<String> all = new ClassFileImporter().withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
			.importPackages("io.jobqueue.spring")
			.stream()
			.filter((type) -> type.isAssignableTo(CannotStartException.class)
					&& !type.isEquivalentTo(CannotStartException.class))
			.map(JavaClass::getName)
			.collect(Collectors.toSet());
		assertThat(Stream.of(ON_H2.keySet(), ON_MYSQL, Set.of(OLD)).flatMap(Set::stream).map(Class::getName))
			.containsExactlyInAnyOrderElementsOf(all);
	}

	@Test
	void aPropertyThatIsWrongIsPrintedBySpringBoot() {
		this.runner.withPropertyValues("jobqueue.worker.concurrency=0").run((context) -> {
			FailureAnalysis analysis = analysisOf(context.getStartupFailure());
			assertThat(analysis.getDescription()).contains("jobqueue.worker.concurrency must be at least 1, but is 0");
			assertThat(analysis.getAction()).isNotBlank();
		});
	}

	private static void assertThatIsPrinted(Throwable failure, Class<? extends CannotStartException> refusal) {
		assertThat(failure).as(refusal.getSimpleName()).isNotNull();
		FailureAnalysis analysis = analysisOf(failure);
		assertThat(analysis.getCause()).isInstanceOf(refusal);
		assertThat(analysis.getDescription()).hasSizeGreaterThan(30);
		assertThat(analysis.getAction()).hasSizeGreaterThan(20).doesNotContain("null").matches("(?s)[A-Z].*\\.");
	}

	/**
	 * By the analyzers that an application has, the queue's among them.
	 */
	private static FailureAnalysis analysisOf(Throwable failure) {
		Map<String, FailureAnalysis> found = new TreeMap<>();
		for (FailureAnalyzer analyzer : SpringFactoriesLoader.forDefaultResourceLocation()
			.load(FailureAnalyzer.class, SpringFactoriesLoader.ArgumentResolver.none(), (factory, name, ex) -> {
				// Some of Spring Boot's need a bean factory.
			})) {
			FailureAnalysis analysis = analyzer.analyze(failure);
			if (analysis != null) {
				found.put(analyzer.getClass().getSimpleName(), analysis);
			}
		}
		assertThat(found).as("of " + failure).hasSize(1);
		return found.values().iterator().next();
	}

	private static ApplicationContextRunner withOtherHistory(ApplicationContextRunner runner) {
		String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
		ApplicationContextRunner there = runner.withPropertyValues("spring.datasource.url=" + url);
		there.run((context) -> new JdbcTemplate(context.getBean(Database.class).dataSource())
			.execute("UPDATE \"" + JobQueueSchema.HISTORY_TABLE + "\" SET \"checksum\" = 1 WHERE \"version\" = '1'"));
		return there;
	}

	private static DataSource embedded() {
		return new EmbeddedDatabaseBuilder().setType(EmbeddedDatabaseType.H2).generateUniqueName(true).build();
	}

	static class Private {

		@JobHandler("private")
		private void run() {
		}

	}

}
