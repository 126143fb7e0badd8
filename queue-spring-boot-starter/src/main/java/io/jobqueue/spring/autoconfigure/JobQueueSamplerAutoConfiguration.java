package io.jobqueue.spring.autoconfigure;

import io.jobqueue.spring.actuate.QueueSampler;
import io.jobqueue.store.Queues;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * Measures the queues for meters and endpoint, in applications that have Actuator.
 */
@AutoConfiguration(after = JobQueueAutoConfiguration.class)
@ConditionalOnClass(name = "org.springframework.boot.actuate.endpoint.annotation.Endpoint")
@ConditionalOnBean(Queues.class)
public final class JobQueueSamplerAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	QueueSampler jobQueueSampler(Queues queues, JobQueueProperties properties) {
		return new QueueSampler(queues, properties.sampleInterval());
	}

}
