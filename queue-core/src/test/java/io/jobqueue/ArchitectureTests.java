package io.jobqueue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.conditions.ArchConditions;
import com.tngtech.archunit.library.Architectures;
import io.jobqueue.node.Worker;
import io.jobqueue.store.SqlFailure;
import io.jobqueue.worker.doorbell.CrossNodeWakeUp;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.TransactionManager;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noConstructors;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which package may use which, and other rules of the house.
 */
class ArchitectureTests {

	private static final JavaClasses CLASSES = new ClassFileImporter()
		.withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
		.withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_JARS)
		.importPackages("io.jobqueue");

	private static final DescribedPredicate<JavaClass> SPRING_JDBC = resideInAPackage("org.springframework.jdbc..");

	private static final DescribedPredicate<JavaClass> STATEMENTS = assignableTo("java.sql.Statement")
		.or(assignableTo("java.sql.ResultSet"))
		.or(resideInAnyPackage("org.springframework.jdbc.core..", "org.springframework.jdbc.support.."))
		.as("classes that run SQL statements");

	private static final int MOST_LINES = 250;

	private static final int MOST_PARAMETERS = 6;

	/** What applications call: most of it says what a method means. */
	private static final String[] MAY_BE_LONG = { "NewJob.java", "Schedule.java" };

	@Test
	void theClassesAreFound() {
		assertThat(CLASSES.contain(JobQueue.class)).isTrue();
		assertThat(CLASSES.contain(ArchitectureTests.class)).isFalse();
	}

	/** Every package, and the packages that it may use. */
	private static final Map<String, List<String>> EDGES = Map.ofEntries(
			// What applications call.
			Map.entry("text", List.of()), Map.entry("", List.of("text")), Map.entry("retry", List.of("")),
			Map.entry("observe", List.of("")),
			// Rules without a database, and the store as workers and maintenance see it.
			Map.entry("poison", List.of()), Map.entry("schedule", List.of("")),
			Map.entry("store", List.of("text", "", "retry", "observe", "poison", "schedule")),
			// The store in SQL.
			Map.entry("database", List.of("", "poison", "store")),
			Map.entry("store.jdbc.table", List.of("", "store", "database")),
			Map.entry("store.jdbc.enqueue", List.of("", "store", "database", "store.jdbc.table")),
			Map.entry("store.jdbc.finish", List.of("", "store", "database", "store.jdbc.table")),
			Map.entry("store.jdbc.claim",
					List.of("", "retry", "poison", "store", "database", "store.jdbc.table", "store.jdbc.finish",
							"store.jdbc.limit")),
			Map.entry("store.jdbc.limit", List.of("", "store", "database", "store.jdbc.table", "store.jdbc.finish")),
			Map.entry("store.jdbc.prune", List.of("", "store", "database", "store.jdbc.table", "store.jdbc.enqueue")),
			Map.entry("store.jdbc.inspect", List.of("", "store", "database", "store.jdbc.table")),
			Map.entry("store.jdbc.history", List.of("", "store", "database")),
			Map.entry("store.jdbc.operation",
					List.of("", "store", "database", "store.jdbc.table", "store.jdbc.finish", "store.jdbc.inspect")),
			Map.entry("store.jdbc.schedule",
					List.of("", "schedule", "store", "database", "store.jdbc.table", "store.jdbc.enqueue")),
			Map.entry("store.jdbc.order",
					List.of("", "store", "database", "store.jdbc.table", "store.jdbc.finish", "store.jdbc.claim")),
			Map.entry("store.jdbc.rowlock", List.of("", "store", "database", "store.jdbc.table", "store.jdbc.finish")),
			Map.entry("store.jdbc",
					List.of("", "retry", "store", "database", "store.jdbc.table", "store.jdbc.enqueue",
							"store.jdbc.finish", "store.jdbc.claim", "store.jdbc.prune", "store.jdbc.schedule",
							"store.jdbc.order", "store.jdbc.operation", "store.jdbc.history")),
			// A worker, by what its threads do.
			Map.entry("worker", List.of("text", "", "retry", "observe", "store")),
			Map.entry("worker.thread", List.of()),
			Map.entry("worker.attempt", List.of("", "retry", "poison", "store", "worker", "worker.thread")),
			Map.entry("worker.session", List.of("text", "store")),
			Map.entry("worker.run",
					List.of("text", "", "retry", "observe", "store", "worker", "worker.thread", "worker.attempt",
							"worker.session")),
			Map.entry("worker.finish", List.of("", "observe", "store", "worker", "worker.attempt", "worker.session")),
			Map.entry("worker.poll",
					List.of("text", "", "retry", "poison", "store", "worker", "worker.thread", "worker.attempt",
							"worker.session", "worker.run")),
			Map.entry("worker.doorbell", List.of("", "store", "worker.thread")),
			Map.entry("history", List.of("text", "", "store", "worker")),
			Map.entry("rule", List.of("text", "", "retry", "store", "worker")),
			Map.entry("maintenance", List.of("text", "", "retry", "poison", "schedule", "store")),
			// Where all is put together.
			Map.entry("node",
					List.of("text", "", "observe", "store", "database", "store.jdbc", "store.jdbc.rowlock",
							"store.jdbc.schedule", "store.jdbc.order", "store.jdbc.limit", "store.jdbc.table",
							"store.jdbc.inspect", "store.jdbc.prune", "store.jdbc.operation", "store.jdbc.history",
							"maintenance", "worker", "worker.thread", "worker.attempt", "worker.session", "worker.run",
							"worker.finish", "worker.poll", "worker.doorbell")));

	@Test
	void dependenciesPointOneWay() {
		Architectures.LayeredArchitecture architecture = layeredArchitecture().consideringOnlyDependenciesInLayers();
		for (String name : EDGES.keySet()) {
			architecture = architecture.layer(layer(name)).definedBy(layer(name));
		}
		for (Map.Entry<String, List<String>> edges : EDGES.entrySet()) {
			String[] allowed = edges.getValue().stream().map(ArchitectureTests::layer).toArray(String[]::new);
			var from = architecture.whereLayer(layer(edges.getKey()));
			architecture = (allowed.length == 0) ? from.mayNotAccessAnyLayer() : from.mayOnlyAccessLayers(allowed);
		}
		architecture.ensureAllClassesAreContainedInArchitecture().check(CLASSES);
	}

	private static String layer(String name) {
		return name.isEmpty() ? "io.jobqueue" : "io.jobqueue." + name;
	}

	@Test
	void thereAreNoCycles() {
		slices().matching("io.jobqueue.(**)").should().beFreeOfCycles().check(CLASSES);
	}

	@Test
	void theStatementsAreInOnePlace() {
		noClasses().that()
			.resideOutsideOfPackages("io.jobqueue.store.jdbc..", "io.jobqueue.database")
			.should()
			.dependOnClassesThat(STATEMENTS)
			.check(CLASSES);
	}

	@Test
	void whatApplicationsCallKnowsNoJdbc() {
		noClasses().that()
			.resideInAnyPackage("io.jobqueue", "io.jobqueue.retry", "io.jobqueue.store")
			.should()
			.dependOnClassesThat(SPRING_JDBC)
			.check(CLASSES);
		noClasses().that()
			.resideInAnyPackage("io.jobqueue", "io.jobqueue.retry", "io.jobqueue.store")
			.and()
			.doNotBelongToAnyOf(SqlFailure.class)
			.should()
			.dependOnClassesThat(resideInAPackage("java.sql"))
			.because("only SqlFailure has to tell one failure of the database from another")
			.check(CLASSES);
	}

	@Test
	void theCoreKnowsNoSpringBoot() {
		noClasses().should().dependOnClassesThat(resideInAPackage("org.springframework.boot..")).check(CLASSES);
	}

	/**
	 * On Java 21 to 23 a virtual thread that waits in a monitor keeps its carrier thread;
	 * as many slots as there are carriers would stop the application.
	 */
	@Test
	void slotsWaitForTheDatabaseInNoMonitor() {
		noMethods().that()
			.areDeclaredInClassesThat()
			.resideInAnyPackage("io.jobqueue.store..", "io.jobqueue.database", "io.jobqueue.worker..",
					"io.jobqueue.node")
			.and()
			.areDeclaredInClassesThat()
			.doNotBelongToAnyOf(Worker.class, CrossNodeWakeUp.class)
			.should()
			.haveModifier(JavaModifier.SYNCHRONIZED)
			.because("of all that is synchronized, slots call neither start() nor stop()")
			.check(CLASSES);
	}

	@Test
	void noFileIsLong() throws IOException {
		Map<String, Integer> longFiles = new TreeMap<>();
		for (Path module : List.of(Path.of("."), Path.of("..", "queue-spring-boot-starter"),
				Path.of("..", "queue-dashboard"), Path.of("..", "queue-benchmark"), Path.of("..", "queue-sample-app"),
				Path.of("..", "queue-processor"), Path.of("..", "queue-test"))) {
			try (Stream<Path> sources = Files.walk(module.resolve(Path.of("src", "main", "java")))) {
				for (Path source : sources.filter((path) -> path.toString().endsWith(".java")).toList()) {
					int lines = Files.readAllLines(source).size();
					if (lines > MOST_LINES) {
						longFiles.put(source.getFileName().toString(), lines);
					}
				}
			}
		}
		assertThat(longFiles).containsOnlyKeys(MAY_BE_LONG);
	}

	@Test
	void noConstructorTakesManyParameters() {
		DescribedPredicate<JavaConstructor> many = DescribedPredicate.describe(
				"with more than " + MOST_PARAMETERS + " parameters",
				(constructor) -> constructor.getRawParameterTypes().size() > MOST_PARAMETERS);
		noConstructors().that()
			.areDeclaredInClassesThat()
			.areNotRecords()
			.and()
			.areDeclaredInClassesThat()
			.areNotEnums()
			.should(ArchConditions.be(many))
			.check(CLASSES);
	}

	/**
	 * Its connection stays open until the stream is closed, which nobody sees in a test.
	 */
	@Test
	void rowsAreNotStreamed() {
		noClasses().should().callMethod(JdbcClient.MappedQuerySpec.class, "stream").check(CLASSES);
	}

	@ParameterizedTest
	@ValueSource(strings = { "Manager", "Helper", "Util", "Utils", "Impl" })
	void namesSayWhatAClassDoes(String word) {
		noClasses().that()
			.areNotAssignableTo(TransactionManager.class)
			.should()
			.haveSimpleNameEndingWith(word)
			.check(CLASSES);
	}

}
