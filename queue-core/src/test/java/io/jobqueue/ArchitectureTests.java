package io.jobqueue;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.jobqueue.store.SqlFailure;
import io.jobqueue.worker.CrossNodeWakeUp;
import io.jobqueue.worker.Worker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.transaction.TransactionManager;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Dependencies point one way: root ← retry, poison ← store ← store.jdbc; store ← worker,
 * maintenance.
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

	@Test
	void theClassesAreFound() {
		assertThat(CLASSES.contain(JobQueue.class)).isTrue();
		assertThat(CLASSES.contain(ArchitectureTests.class)).isFalse();
	}

	@Test
	void dependenciesPointOneWay() {
		layeredArchitecture().consideringOnlyDependenciesInLayers()
			.layer("root")
			.definedBy("io.jobqueue")
			.layer("retry")
			.definedBy("io.jobqueue.retry")
			.layer("poison")
			.definedBy("io.jobqueue.poison")
			.layer("store")
			.definedBy("io.jobqueue.store")
			.layer("store.jdbc")
			.definedBy("io.jobqueue.store.jdbc")
			.layer("worker")
			.definedBy("io.jobqueue.worker")
			.layer("maintenance")
			.definedBy("io.jobqueue.maintenance")
			.whereLayer("root")
			.mayNotAccessAnyLayer()
			.whereLayer("retry")
			.mayOnlyAccessLayers("root")
			.whereLayer("poison")
			.mayNotAccessAnyLayer()
			.whereLayer("store")
			.mayOnlyAccessLayers("root", "retry", "poison")
			.whereLayer("store.jdbc")
			.mayOnlyAccessLayers("root", "retry", "poison", "store")
			.whereLayer("worker")
			.mayOnlyAccessLayers("root", "retry", "poison", "store")
			.whereLayer("maintenance")
			.mayOnlyAccessLayers("root", "retry", "poison", "store")
			.ensureAllClassesAreContainedInArchitecture()
			.check(CLASSES);
	}

	@Test
	void thereAreNoCycles() {
		slices().matching("io.jobqueue.(**)").should().beFreeOfCycles().check(CLASSES);
	}

	@Test
	void theStatementsAreInOnePlace() {
		noClasses().that()
			.resideOutsideOfPackage("io.jobqueue.store.jdbc")
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
			.resideInAnyPackage("io.jobqueue.store..", "io.jobqueue.worker..")
			.and()
			.areDeclaredInClassesThat()
			.doNotBelongToAnyOf(Worker.class, CrossNodeWakeUp.class)
			.should()
			.haveModifier(JavaModifier.SYNCHRONIZED)
			.because("of all that is synchronized, slots call neither start() nor stop()")
			.check(CLASSES);
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
