package io.jobqueue.spring.autoconfigure;

import java.lang.reflect.Type;
import java.time.Clock;
import java.util.Set;
import java.util.concurrent.Executor;

import javax.sql.DataSource;

import io.jobqueue.JobQueue;
import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.PayloadFormat;
import io.jobqueue.maintenance.Maintenance;
import io.jobqueue.node.Worker;
import io.jobqueue.spring.actuate.JobQueueEndpoint;
import io.jobqueue.spring.actuate.JobQueueHealthIndicator;
import io.jobqueue.spring.actuate.JobQueueMeters;
import io.jobqueue.spring.actuate.QueueSampler;
import io.jobqueue.spring.actuate.WorkerMeters;
import io.jobqueue.store.JobStore;
import io.jobqueue.store.Queues;
import io.jobqueue.worker.WorkerSettings;
import org.awaitility.Awaitility;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The starter as a whole: on, off, without a DataSource, and with the user's own beans.
 */
class JobQueueAutoConfigurationTests extends AutoConfigurationTests {

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
	void theUsersOwnBeansWin() {
		this.runner.withUserConfiguration(OwnBeans.class).run((context) -> {
			assertThat(context).hasNotFailed().hasSingleBean(PayloadFormat.class).hasSingleBean(WorkerSettings.class);
			long id = context.getBean(JobQueue.class).enqueue("any", "payload");
			assertThat(context.getBean(JobQueue.class).find(id).orElseThrow().payload()).isEqualTo("own payload");
			assertThat(context.getBean(Worker.class).name()).isEqualTo("own");
		});
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
	void aQueueIsLifoByProperty() {
		this.runner.withPropertyValues("jobqueue.worker.enabled=false", "jobqueue.queues.news.order=lifo")
			.run((context) -> {
				context.getBean(JobQueue.class).enqueue(NewJob.of("any").queue("news"));
				assertThat(context.getBean(JobStore.class).ready(0, Set.of(), false).ranges()).singleElement()
					.matches((range) -> range.lifo());
			});
	}

	@Test
	void theModeOfAQueueIsKeptUntilAPropertySetsItOtherwise() {
		ApplicationContextRunner named = this.runner
			.withPropertyValues("spring.datasource.url=jdbc:h2:mem:modes;DB_CLOSE_DELAY=-1");
		named.withPropertyValues("jobqueue.queues.news.mode=row-lock", "jobqueue.worker.enabled=false")
			.run((context) -> assertThat(context.getBean(Queues.class).rowLock())
				.as("whoever serves no queue decides nothing")
				.isEmpty());
		named.withPropertyValues("jobqueue.queues.news.mode=row-lock")
			.run((context) -> assertThat(context.getBean(Queues.class).rowLock()).containsExactly("news"));
		named.withPropertyValues("jobqueue.queues.news.order=lifo")
			.run((context) -> assertThat(context.getBean(Queues.class).rowLock()).containsExactly("news"));
		named.withPropertyValues("jobqueue.queues.news.mode=standard")
			.run((context) -> assertThat(context.getBean(Queues.class).rowLock()).isEmpty());
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

}
