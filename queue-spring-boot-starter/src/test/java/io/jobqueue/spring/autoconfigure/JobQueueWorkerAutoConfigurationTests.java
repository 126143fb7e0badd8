package io.jobqueue.spring.autoconfigure;

import java.util.Set;

import io.jobqueue.JobHandler;
import io.jobqueue.JobQueue;
import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.QueueMode;
import io.jobqueue.maintenance.Maintenance;
import io.jobqueue.node.Worker;
import io.jobqueue.spring.actuate.JobQueueEndpoint;
import io.jobqueue.spring.actuate.JobQueueHealthIndicator;
import io.jobqueue.spring.actuate.JobQueueMeters;
import io.jobqueue.spring.actuate.WorkerMeters;
import io.jobqueue.spring.schema.MissingSchemaException;
import io.jobqueue.store.Queues;
import io.jobqueue.worker.Handlers;
import io.jobqueue.worker.WorkerSettings;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * The worker: on, off, beside a queue that is not ours, and what fails its start.
 */
class JobQueueWorkerAutoConfigurationTests extends AutoConfigurationTests {

	@Test
	void aNameThatIsMadeOfALongApplicationNameIsCut() {
		this.runner.withPropertyValues("spring.application.name=" + "x".repeat(300))
			.run((context) -> assertThat(context.getBean(WorkerSettings.class).name()).hasSize(255)
				.endsWith(":" + ProcessHandle.current().pid()));
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
				assertThat(context.getBean(JobQueueEndpoint.class).overview(null, null).unhandledTypes()).isEmpty();
			});
	}

	@Test
	void aMockedJobQueueNeedsNoWorker() {
		this.runner.withBean(JobQueue.class, () -> mock(JobQueue.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(Worker.class));
	}

	@Test
	void handlersAreCollectedBeforeTheWorkerStarts() {
		this.runner.withUserConfiguration(Greeter.class)
			.run((context) -> assertThat(context.getBean(Handlers.class).types()).containsExactly("greet"));
	}

	@Test
	@EnabledForJreRange(max = JRE.JAVA_20)
	void onOlderJavaSpringsVirtualThreadsAreIgnoredAndOurOwnAreRefused() {
		this.runner.withPropertyValues("spring.threads.virtual.enabled=true")
			.run((context) -> assertThat(context).hasNotFailed());
		this.runner.withPropertyValues("jobqueue.worker.virtual-threads=true")
			.run((context) -> assertThat(context).hasFailed()
				.getFailure()
				.rootCause()
				.hasMessageContaining("virtual threads"));
	}

	@Test
	void aMissingTableIsNamedAlsoIfNobodyLooksForItBefore() {
		this.runner.withPropertyValues("jobqueue.schema=none")
			.run((context) -> assertThat(context).hasFailed()
				.getFailure()
				.rootCause()
				.isInstanceOf(MissingSchemaException.class));
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
	void aRowLockQueueNeedsAPoolThatIsLargerThanTheSlots() {
		var small = this.runner.withPropertyValues("jobqueue.queues.slow.mode=row-lock",
				"spring.datasource.url=jdbc:h2:mem:small;DB_CLOSE_DELAY=-1", "jobqueue.worker.concurrency=16",
				"spring.datasource.hikari.maximum-pool-size=10");
		small.run((context) -> assertThat(context).hasFailed()
			.getFailure()
			.rootCause()
			.hasMessageContaining("row-lock (slow)")
			.hasMessageContaining("16 slots")
			.hasMessageContaining("10 connections"));
		small.withPropertyValues("jobqueue.worker.queues=default")
			.run((context) -> assertThat(context.getBean(Queues.class).rowLock())
				.as("no start that was refused, and no worker of other queues, has set the mode")
				.isEmpty());
		small.withPropertyValues("jobqueue.queues.slow.mode=standard")
			.withUserConfiguration(Sums.class)
			.run((context) -> {
				context.getBean(Queues.class).setMode("slow", QueueMode.ROW_LOCK);
				context.getBean(JobQueue.class).enqueue(NewJob.of("sum").queue("slow"));
				Awaitility.await()
					.untilAsserted(
							() -> assertThat(context.getBean(Worker.class).health().leftOut()).containsExactly("slow"));
				assertThat(context.getBean(JobQueueHealthIndicator.class).health().getDetails())
					.containsEntry("leftOut", Set.of("slow"));
			});
	}

	@Test
	void theGracePeriodMustFitIntoSpringsPhase() {
		this.runner.withPropertyValues("jobqueue.worker.shutdown-grace=30s")
			.run((context) -> assertThat(context).hasFailed()
				.getFailure()
				.rootCause()
				.hasMessageContaining("grace period of 30s"));
	}

	@Configuration(proxyBeanMethods = false)
	static class Sums {

		@JobHandler("sum")
		void sum() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Ledger {

		@JobHandler(value = "post", transactional = true)
		void post() {
		}

	}

}
