package io.jobqueue.spring.autoconfigure;

import java.lang.reflect.Type;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.function.Predicate;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.jobqueue.JobHandler;
import io.jobqueue.JobQueue;
import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.PayloadFormat;
import io.jobqueue.maintenance.Maintenance;
import io.jobqueue.spring.actuate.JobQueueEndpoint;
import io.jobqueue.spring.actuate.JobQueueHealthIndicator;
import io.jobqueue.spring.actuate.JobQueueMeters;
import io.jobqueue.spring.actuate.QueueSampler;
import io.jobqueue.spring.actuate.WorkerMeters;
import io.jobqueue.store.JobStore;
import io.jobqueue.store.jdbc.Database;
import io.jobqueue.worker.Handlers;
import io.jobqueue.worker.Worker;
import io.jobqueue.worker.WorkerSettings;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurationImportSelector;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Primary;
import org.springframework.core.annotation.AnnotationAttributes;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.mockito.Mockito.mock;

/**
 * Each auto-configuration: on, off, without its class, and with the user's own bean.
 */
class JobQueueAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withPropertyValues("spring.datasource.generate-unique-name=true", "jobqueue.worker.poll-interval=200ms")
		.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
				DataSourceTransactionManagerAutoConfiguration.class, TransactionAutoConfiguration.class,
				JdbcTemplateAutoConfiguration.class, JacksonAutoConfiguration.class, JobQueueAutoConfiguration.class,
				JobQueueWorkerAutoConfiguration.class, JobQueueSamplerAutoConfiguration.class,
				JobQueueMetricsAutoConfiguration.class, JobQueueWorkerMetricsAutoConfiguration.class,
				JobQueueHealthAutoConfiguration.class, JobQueueEndpointAutoConfiguration.class));

	@Test
	void everythingIsThereAndAJobRuns() {
		this.runner.withUserConfiguration(Greeter.class, Meters.class)
			.withPropertyValues("management.endpoints.web.exposure.include=jobqueue")
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(context).hasSingleBean(JobQueue.class)
					.hasSingleBean(Worker.class)
					.hasSingleBean(Maintenance.class)
					.hasSingleBean(QueueSampler.class)
					.hasSingleBean(JobQueueMeters.class)
					.hasSingleBean(WorkerMeters.class)
					.hasSingleBean(JobQueueHealthIndicator.class)
					.hasSingleBean(JobQueueEndpoint.class)
					.hasBean("jobqueueHealthIndicator");
				JobQueue queue = context.getBean(JobQueue.class);
				long id = queue.enqueue("greet", "world");
				Awaitility.await().until(() -> queue.find(id).orElseThrow().state() == JobState.SUCCEEDED);
				assertThat(context.getBean(Greeter.class).greeted).isEqualTo("world");
			});
	}

	@Test
	void isOffWithoutADataSource() {
		new ApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(JobQueueAutoConfiguration.class, JobQueueWorkerAutoConfiguration.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(JobQueue.class));
	}

	@Test
	void isOffOnDemand() {
		this.runner.withPropertyValues("jobqueue.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(JobQueue.class)
				.doesNotHaveBean(Worker.class)
				.doesNotHaveBean(QueueSampler.class)
				.doesNotHaveBean(JobQueueEndpoint.class));
	}

	@Test
	void onlyEnqueuesOnDemand() {
		this.runner.withUserConfiguration(Meters.class)
			.withPropertyValues("jobqueue.worker.enabled=false", "management.endpoints.web.exposure.include=jobqueue")
			.run((context) -> {
				assertThat(context).hasNotFailed()
					.hasSingleBean(JobQueue.class)
					.hasSingleBean(JobQueueMeters.class)
					.hasSingleBean(JobQueueEndpoint.class)
					.doesNotHaveBean(Worker.class)
					.doesNotHaveBean(Maintenance.class)
					.doesNotHaveBean(JobQueueHealthIndicator.class)
					.doesNotHaveBean(WorkerMeters.class);
				JobQueue queue = context.getBean(JobQueue.class);
				long id = queue.enqueue("greet", "world");
				assertThat(queue.find(id).orElseThrow().state()).isEqualTo(JobState.READY);
				assertThat(context.getBean(JobQueueEndpoint.class).overview().unhandledTypes()).isEmpty();
			});
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

	@Test
	void metersNeedARegistry() {
		this.runner.run((context) -> assertThat(context).hasNotFailed()
			.doesNotHaveBean(JobQueueMeters.class)
			.doesNotHaveBean(WorkerMeters.class));
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
	void theUsersOwnBeansWin() {
		this.runner.withUserConfiguration(OwnBeans.class).run((context) -> {
			assertThat(context).hasNotFailed().hasSingleBean(PayloadFormat.class).hasSingleBean(WorkerSettings.class);
			long id = context.getBean(JobQueue.class).enqueue("any", "payload");
			assertThat(context.getBean(JobQueue.class).find(id).orElseThrow().payload()).isEqualTo("own payload");
			assertThat(context.getBean(Worker.class).name()).isEqualTo("own");
		});
	}

	@Test
	void aMockedJobQueueNeedsNoWorker() {
		this.runner.withBean(JobQueue.class, () -> mock(JobQueue.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(Worker.class));
	}

	@Test
	void itPublishesNoBeanThatWouldMakeTheApplicationsOwnBackOff() {
		this.runner.run((context) -> {
			assertThat(context).doesNotHaveBean(Flyway.class).doesNotHaveBean(Executor.class);
			assertThat(context).doesNotHaveBean(Clock.class).hasSingleBean(PlatformTransactionManager.class);
			assertThat(context).hasSingleBean(DataSource.class).hasSingleBean(JdbcTemplate.class);
		});
	}

	@Test
	void severalDataSourcesNeedAMark() {
		this.runner.withUserConfiguration(TwoDataSources.class)
			.run((context) -> assertThat(context).hasFailed()
				.getFailure()
				.rootCause()
				.isInstanceOf(AmbiguousDataSourceException.class));
	}

	@Test
	void theMarkedDataSourceIsTheQueues() {
		this.runner.withUserConfiguration(MarkedDataSource.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBean(Database.class).dataSource()).isSameAs(context.getBean("second"));
			JobQueue queue = context.getBean(JobQueue.class);
			PlatformTransactionManager other = context.getBean("firstTransactions", PlatformTransactionManager.class);
			assertThatIllegalStateException()
				.isThrownBy(
						() -> new TransactionTemplate(other).executeWithoutResult((status) -> queue.enqueue("lost")))
				.withMessageContaining("@JobQueueDataSource");
			PlatformTransactionManager own = context.getBean("secondTransactions", PlatformTransactionManager.class);
			long id = new TransactionTemplate(own).execute((status) -> queue.enqueue("kept"));
			assertThat(queue.find(id)).isPresent();
		});
	}

	@Test
	void aTransactionalHandlerNeedsAPoolThatIsLargerThanItsSlots() {
		this.runner.withUserConfiguration(Ledger.class)
			.withPropertyValues("jobqueue.worker.concurrency=16", "spring.datasource.hikari.maximum-pool-size=10")
			.run((context) -> assertThat(context).hasFailed()
				.getFailure()
				.rootCause()
				.hasMessageContaining("16 slots")
				.hasMessageContaining("10 connections"));
	}

	@Test
	void theGracePeriodMustFitIntoSpringsPhase() {
		this.runner.withPropertyValues("jobqueue.worker.shutdown-grace=30s")
			.run((context) -> assertThat(context).hasFailed()
				.getFailure()
				.rootCause()
				.hasMessageContaining("grace period of PT30S"));
	}

	@Test
	@EnabledForJreRange(min = JRE.JAVA_21)
	void attemptsRunOnVirtualThreadsIfSpringDoes() {
		this.runner.withUserConfiguration(Greeter.class)
			.withPropertyValues("spring.threads.virtual.enabled=true")
			.run((context) -> {
				JobQueue queue = context.getBean(JobQueue.class);
				long id = queue.enqueue("greet", "virtual");
				Awaitility.await().until(() -> queue.find(id).orElseThrow().state() == JobState.SUCCEEDED);
				assertThat(context.getBean(Greeter.class).thread).contains("VirtualThread");
			});
	}

	@Test
	void handlersAreCollectedBeforeTheWorkerStarts() {
		this.runner.withUserConfiguration(Greeter.class)
			.run((context) -> assertThat(context.getBean(Handlers.class).types()).containsExactly("greet"));
	}

	@Test
	void aQueueIsLifoByProperty() {
		this.runner.withPropertyValues("jobqueue.worker.enabled=false", "jobqueue.queues.news.order=lifo")
			.run((context) -> {
				context.getBean(JobQueue.class).enqueue(NewJob.of("any").queue("news"));
				assertThat(context.getBean(JobStore.class).lines()).singleElement().matches((line) -> line.lifo());
			});
	}

	static DataSource h2() {
		HikariDataSource dataSource = new HikariDataSource();
		dataSource.setJdbcUrl("jdbc:h2:mem:" + UUID.randomUUID());
		return dataSource;
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
			assertThat(ours).hasSize(7);
			List<String> all = new ArrayList<>(ours);
			all.add(DataSourceAutoConfiguration.class.getName());
			all.add(DataSourceTransactionManagerAutoConfiguration.class.getName());
			return all;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Greeter {

		volatile String greeted;

		volatile String thread;

		@JobHandler("greet")
		void greet(String name) {
			this.thread = Thread.currentThread().toString();
			this.greeted = name;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Ledger {

		@JobHandler(value = "post", transactional = true)
		void post() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Meters {

		@Bean
		MeterRegistry registry() {
			return new SimpleMeterRegistry();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnBeans {

		@Bean
		PayloadFormat ownFormat() {
			return new PayloadFormat() {

				@Override
				public String write(Object payload) {
					return "own " + payload;
				}

				@Override
				public Object read(String payload, Type type) {
					return payload;
				}

			};
		}

		@Bean
		WorkerSettings ownSettings() {
			return WorkerSettings.named("own");
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoDataSources {

		@Bean
		DataSource first() {
			return h2();
		}

		@Bean
		DataSource second() {
			return h2();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class MarkedDataSource {

		@Bean
		@Primary
		DataSource first() {
			return h2();
		}

		@Bean
		@JobQueueDataSource
		DataSource second() {
			return h2();
		}

		@Bean
		@Primary
		PlatformTransactionManager firstTransactions(DataSource first) {
			return new JdbcTransactionManager(first);
		}

		@Bean
		PlatformTransactionManager secondTransactions(@JobQueueDataSource DataSource second) {
			return new JdbcTransactionManager(second);
		}

	}

}
