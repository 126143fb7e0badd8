package io.jobqueue.spring.autoconfigure;

import io.jobqueue.node.KeyStores;
import io.jobqueue.spring.actuate.KeySample;
import io.jobqueue.spring.actuate.QueueSampler;
import io.jobqueue.spring.actuate.ScheduleSample;
import io.jobqueue.store.Queues;
import io.jobqueue.store.ScheduleStore;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;

/**
 * Measures the queues for meters, endpoint and dashboard, in applications that have one
 * of them.
 */
@AutoConfiguration(after = JobQueueAutoConfiguration.class,
		afterName = { "org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration",
				"org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration" })
@ConditionalOnBean(Queues.class)
@Conditional(JobQueueSamplerAutoConfiguration.OnSomebodyWhoLooks.class)
public final class JobQueueSamplerAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	QueueSampler jobQueueSampler(Queues queues, ScheduleStore schedules, KeyStores keys,
			JobQueueProperties properties) {
		return new QueueSampler(queues, () -> ScheduleSample.of(schedules), () -> KeySample.of(keys),
				properties.sampleInterval());
	}

	static class OnSomebodyWhoLooks extends AnyNestedCondition {

		OnSomebodyWhoLooks() {
			super(ConfigurationPhase.REGISTER_BEAN);
		}

		@ConditionalOnClass(name = "org.springframework.boot.actuate.endpoint.annotation.Endpoint")
		static class OnActuator {

		}

		@ConditionalOnClass(name = "io.jobqueue.dashboard.DashboardAutoConfiguration")
		static class OnDashboard {

		}

		@ConditionalOnBean(type = "io.micrometer.core.instrument.MeterRegistry")
		static class OnMeters {

		}

	}

}
