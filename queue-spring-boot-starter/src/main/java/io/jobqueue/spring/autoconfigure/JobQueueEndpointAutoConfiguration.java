package io.jobqueue.spring.autoconfigure;

import java.util.Set;

import io.jobqueue.JobQueue;
import io.jobqueue.Limits;
import io.jobqueue.Schedules;
import io.jobqueue.maintenance.UnhandledTypes;
import io.jobqueue.node.QueueNode;
import io.jobqueue.spring.actuate.JobQueueEndpoint;
import io.jobqueue.spring.actuate.JobQueueWebEndpoint;
import io.jobqueue.spring.actuate.KnownFieldsOnly;
import io.jobqueue.spring.actuate.QueueSampler;
import io.jobqueue.store.Queues;
import io.jobqueue.store.WorkerSessions;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * The endpoint {@code jobqueue}, read-only until
 * {@code management.endpoint.jobqueue.access=unrestricted}.
 */
@AutoConfiguration(after = { JobQueueWorkerAutoConfiguration.class, JobQueueSamplerAutoConfiguration.class })
@ConditionalOnClass({ Endpoint.class, ConditionalOnAvailableEndpoint.class })
@ConditionalOnBean({ JobQueue.class, QueueSampler.class })
@ConditionalOnAvailableEndpoint(JobQueueEndpoint.class)
public final class JobQueueEndpointAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	KnownFieldsOnly jobQueueEndpointKnownFieldsOnly() {
		return new KnownFieldsOnly();
	}

	@Bean
	@ConditionalOnMissingBean
	JobQueueWebEndpoint jobQueueWebEndpoint(JobQueueEndpoint endpoint) {
		return new JobQueueWebEndpoint(endpoint);
	}

	@Bean
	@ConditionalOnMissingBean
	JobQueueEndpoint.Rules jobQueueEndpointRules(Schedules schedules, Limits limits, QueueNode node) {
		return new JobQueueEndpoint.Rules(schedules, limits, node.audit());
	}

	@Bean
	@ConditionalOnMissingBean
	JobQueueEndpoint jobQueueEndpoint(JobQueue queue, Queues queues, WorkerSessions sessions, QueueSampler sampler,
			JobQueueEndpoint.Rules rules, ObjectProvider<UnhandledTypes> unhandled) {
		return new JobQueueEndpoint(queue, queues, sessions, sampler, rules, () -> {
			UnhandledTypes known = unhandled.getIfAvailable();
			return (known != null) ? known.current() : Set.of();
		});
	}

}
