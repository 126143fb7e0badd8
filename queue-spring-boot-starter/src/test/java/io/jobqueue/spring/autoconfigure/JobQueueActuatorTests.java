package io.jobqueue.spring.autoconfigure;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

import io.jobqueue.maintenance.KeepIdsUnique;
import io.jobqueue.node.Worker;
import io.jobqueue.spring.actuate.JobQueueEndpoint;
import io.jobqueue.spring.actuate.JobQueueHealthIndicator;
import io.jobqueue.spring.actuate.JobQueueMeters;
import io.jobqueue.spring.actuate.QueueSampler;
import io.jobqueue.spring.actuate.WorkerMeters;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurationImportSelector;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.AnnotationAttributes;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The auto-configurations of meters, health and the endpoint: on, off, and without their
 * classes.
 */
class JobQueueActuatorTests extends AutoConfigurationTests {

	@Test
	void metersNeedARegistry() {
		this.runner.run((context) -> assertThat(context).hasNotFailed()
			.doesNotHaveBean(JobQueueMeters.class)
			.doesNotHaveBean(WorkerMeters.class));
	}

	@Test
	void healthNamesIdsThatAreUsedUp() {
		this.runner.run((context) -> {
			JobQueueHealthIndicator indicator = context.getBean(JobQueueHealthIndicator.class);
			Awaitility.await().untilAsserted(() -> assertThat(indicator.health().getStatus()).isEqualTo(Status.UP));
			context.getBean(JdbcTemplate.class)
				.update("INSERT INTO jobqueue_job (id, type, available_at) VALUES (?, 'any', '2500-01-01 00:00:00')",
						Long.MAX_VALUE);
			context.getBean(KeepIdsUnique.class).runOnce();
			assertThat(indicator.health().getStatus()).isEqualTo(Status.DOWN);
			assertThat(indicator.health().getDetails().get("problem").toString()).contains("0 ids left");
		});
	}

	@Test
	void healthCanBeSwitchedOff() {
		this.runner.withPropertyValues("management.health.jobqueue.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(JobQueueHealthIndicator.class));
	}

	@Test
	void theEndpointIsThereOnlyIfExposed() {
		this.runner.run((context) -> assertThat(context).doesNotHaveBean(JobQueueEndpoint.class));
		this.runner
			.withPropertyValues("management.endpoints.web.exposure.include=*",
					"management.endpoint.jobqueue.access=NONE")
			.run((context) -> assertThat(context).doesNotHaveBean(JobQueueEndpoint.class));
	}

	@Test
	void metersNeedNoActuator() {
		new ApplicationContextRunner()
			.withClassLoader(
					new FilteredClassLoader("org.springframework.boot.actuate", "org.springframework.boot.health"))
			.withPropertyValues("spring.datasource.generate-unique-name=true")
			.withUserConfiguration(Meters.class, Everything.class)
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(JobQueueMeters.class)
				.hasSingleBean(WorkerMeters.class)
				.doesNotHaveBean(JobQueueEndpoint.class));
	}

	@Test
	void worksWithoutActuatorAndMicrometer() {
		new ApplicationContextRunner()
			.withClassLoader(new FilteredClassLoader("org.springframework.boot.actuate",
					"org.springframework.boot.health", "io.micrometer"))
			.withPropertyValues("spring.datasource.generate-unique-name=true")
			.withUserConfiguration(Everything.class)
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(Worker.class)
				.doesNotHaveBean(QueueSampler.class));
	}

	/**
	 * All auto-configurations of the starter as Spring Boot imports them: those whose
	 * classes are missing are left out before they are loaded.
	 */
	@Configuration(proxyBeanMethods = false)
	@Import(StarterSelector.class)
	static class Everything {

	}

	static class StarterSelector extends AutoConfigurationImportSelector {

		@Override
		public Predicate<String> getExclusionFilter() {
			return (name) -> false;
		}

		@Override
		protected AnnotationAttributes getAttributes(AnnotationMetadata metadata) {
			return AnnotationAttributes.fromMap(Map.of("exclude", new String[0], "excludeName", new String[0]));
		}

		@Override
		protected List<String> getCandidateConfigurations(AnnotationMetadata metadata,
				AnnotationAttributes attributes) {
			List<String> ours = ImportCandidates.load(AutoConfiguration.class, getClass().getClassLoader())
				.getCandidates()
				.stream()
				.filter((name) -> name.startsWith("io.jobqueue."))
				.toList();
			assertThat(ours).hasSize(11);
			List<String> all = new ArrayList<>(ours);
			all.add(DataSourceAutoConfiguration.class.getName());
			all.add(DataSourceTransactionManagerAutoConfiguration.class.getName());
			return all;
		}

	}

}
