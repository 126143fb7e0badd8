package io.jobqueue.spring.autoconfigure;

import io.jobqueue.spring.actuate.JobQueueMeters;
import io.jobqueue.spring.actuate.KeyMeters;
import io.jobqueue.spring.actuate.QueueSampler;
import io.jobqueue.spring.actuate.ScheduleMeters;
import io.jobqueue.store.QueueListeners;
import io.jobqueue.store.StoredJobQueue;
import io.micrometer.core.instrument.MeterRegistry;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * The queue's meters, where Micrometer has a registry.
 */
@AutoConfiguration(before = JobQueueWorkerAutoConfiguration.class,
		after = { JobQueueAutoConfiguration.class, JobQueueSamplerAutoConfiguration.class },
		afterName = { "org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration",
				"org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration" })
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean({ MeterRegistry.class, QueueSampler.class, StoredJobQueue.class })
public final class JobQueueMetricsAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	JobQueueMeters jobQueueMeters(MeterRegistry registry, QueueSampler sampler, QueueListeners listeners,
			JobQueueProperties properties) {
		JobQueueMeters meters = new JobQueueMeters(registry, sampler, properties.metrics().maxQueues());
		listeners.add(meters);
		return meters;
	}

	@Bean
	@ConditionalOnMissingBean
	ScheduleMeters jobQueueScheduleMeters(MeterRegistry registry, QueueSampler sampler) {
		return new ScheduleMeters(registry, sampler);
	}

	@Bean
	@ConditionalOnMissingBean
	KeyMeters jobQueueKeyMeters(MeterRegistry registry, QueueSampler sampler) {
		return new KeyMeters(registry, sampler);
	}

}
