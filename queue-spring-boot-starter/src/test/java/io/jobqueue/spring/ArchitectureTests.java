package io.jobqueue.spring;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.conditions.ArchConditions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.annotation.Bean;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noConstructors;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The auto-configuration knows the starter's parts, and they know neither it nor each
 * other in circles.
 */
class ArchitectureTests {

	private static final JavaClasses CLASSES = new ClassFileImporter()
		.withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
		.withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_JARS)
		.importPackages("io.jobqueue.spring");

	private static final String AUTOCONFIGURE = "io.jobqueue.spring.autoconfigure";

	private static final DescribedPredicate<JavaClass> ACTUATOR = resideInAnyPackage(
			"org.springframework.boot.actuate..", "org.springframework.boot.health..");

	private static final DescribedPredicate<JavaClass> MICROMETER = resideInAPackage("io.micrometer..");

	@Test
	void theClassesAreFound() {
		assertThat(CLASSES.contain(CannotStartException.class)).isTrue();
		assertThat(CLASSES.contain(ArchitectureTests.class)).isFalse();
	}

	@Test
	void thereAreNoCycles() {
		slices().matching("io.jobqueue.(**)").should().beFreeOfCycles().check(CLASSES);
	}

	@Test
	void nothingKnowsTheAutoConfiguration() {
		noClasses().that()
			.resideOutsideOfPackage(AUTOCONFIGURE)
			.should()
			.dependOnClassesThat()
			.resideInAPackage(AUTOCONFIGURE)
			.check(CLASSES);
	}

	@Test
	void whatApplicationsSeeIsPublicApi() {
		methods().that()
			.arePublic()
			.and()
			.areDeclaredInClassesThat()
			.resideInAPackage(AUTOCONFIGURE)
			.and()
			.areDeclaredInClassesThat()
			.arePublic()
			.should()
			.haveRawReturnType(publicApi())
			.check(CLASSES);
	}

	@Test
	void noConstructorAndNoBeanMethodTakesManyParameters() {
		DescribedPredicate<JavaCodeUnit> many = DescribedPredicate.describe("with more than six parameters",
				(unit) -> unit.getRawParameterTypes().size() > 6);
		methods().that()
			.areAnnotatedWith(Bean.class)
			.should(ArchConditions.not(ArchConditions.be(many)))
			.check(CLASSES);
		noConstructors().that()
			.areDeclaredInClassesThat()
			.areNotRecords()
			.should(ArchConditions.be(many))
			.check(CLASSES);
	}

	private static DescribedPredicate<JavaClass> publicApi() {
		return resideInAnyPackage("io.jobqueue", AUTOCONFIGURE)
			.or(DescribedPredicate.not(resideInAPackage("io.jobqueue..")))
			.as("public API");
	}

	/** Both are optional: who uses them is loaded only where they are. */
	@Test
	void actuatorAndMicrometerAreUsedWhereTheyAreAskedFor() {
		noClasses().that()
			.resideOutsideOfPackage("io.jobqueue.spring.actuate")
			.and()
			.haveSimpleNameNotEndingWith("EndpointAutoConfiguration")
			.and()
			.haveSimpleNameNotEndingWith("HealthAutoConfiguration")
			.should()
			.dependOnClassesThat(ACTUATOR)
			.check(CLASSES);
		noClasses().that()
			.resideOutsideOfPackages("io.jobqueue.spring.actuate", "io.jobqueue.spring.observation")
			.and()
			.haveSimpleNameNotEndingWith("MetricsAutoConfiguration")
			.and()
			.haveNameNotMatching(".*\\.JobQueueObservationAutoConfiguration(\\$.*)?")
			.should()
			.dependOnClassesThat(MICROMETER)
			.check(CLASSES);
	}

	@Test
	void flywayIsUsedInOnePlace() {
		noClasses().that()
			.resideOutsideOfPackage("io.jobqueue.spring.schema")
			.should()
			.dependOnClassesThat(resideInAPackage("org.flywaydb.."))
			.check(CLASSES);
	}

	@Test
	void theStarterHoldsNoSql() {
		noClasses().that()
			.resideOutsideOfPackage("io.jobqueue.spring.archive")
			.should()
			.dependOnClassesThat(
					resideInAnyPackage("org.springframework.jdbc.core..", "org.springframework.jdbc.object.."))
			.because("but for the archive's, whose table is in another database")
			.check(CLASSES);
	}

	@ParameterizedTest
	@ValueSource(strings = { "Manager", "Helper", "Util", "Utils", "Impl" })
	void namesSayWhatAClassDoes(String word) {
		noClasses().should().haveSimpleNameEndingWith(word).check(CLASSES);
	}

}
