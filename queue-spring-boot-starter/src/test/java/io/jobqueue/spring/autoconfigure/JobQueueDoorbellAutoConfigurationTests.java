package io.jobqueue.spring.autoconfigure;

import io.jobqueue.JobQueue;
import io.jobqueue.spring.worker.DoorbellLifecycle;
import io.jobqueue.spring.worker.UnsuitableWorkerException;
import io.jobqueue.worker.doorbell.CrossNodeWakeUp;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

class JobQueueDoorbellAutoConfigurationTests extends AutoConfigurationTests {

	private final ApplicationContextRunner withDoorbell = this.runner
		.withConfiguration(AutoConfigurations.of(JobQueueDoorbellAutoConfiguration.class));

	@Test
	void thereIsNoDoorbellUnlessAsked() {
		this.withDoorbell.run((context) -> assertThat(context).doesNotHaveBean(CrossNodeWakeUp.class)
			.doesNotHaveBean(DoorbellLifecycle.class));
	}

	@Test
	void onH2ItDoesNothing() {
		this.withDoorbell.withPropertyValues("jobqueue.doorbell=true").run((context) -> {
			assertThat(context).hasSingleBean(DoorbellLifecycle.class);
			assertThat(context.getBean(DoorbellLifecycle.class).isRunning()).isFalse();
			context.getBean(JobQueue.class).enqueue("any");
		});
	}

	@Test
	void aNodeThatOnlyEnqueuesHasOneToo() {
		this.withDoorbell.withPropertyValues("jobqueue.doorbell=true", "jobqueue.worker.enabled=false")
			.run((context) -> assertThat(context).hasSingleBean(CrossNodeWakeUp.class));
	}

	@Test
	void itsConnectionsMustFitIntoThePoolBesideTheWorkers() {
		this.withDoorbell.withUserConfiguration(Greeter.class)
			.withPropertyValues("spring.datasource.hikari.maximum-pool-size=4", "jobqueue.doorbell=true")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(UnsuitableWorkerException.class)
				.hasMessageContaining("needs 5 for its heartbeats, claims and results and the doorbell"));
		this.withDoorbell.withUserConfiguration(Greeter.class)
			.withPropertyValues("spring.datasource.hikari.maximum-pool-size=4")
			.run((context) -> assertThat(context).hasNotFailed());
	}

}
