package io.jobqueue.spring.autoconfigure;

import java.util.stream.Collectors;

import io.jobqueue.maintenance.KeepIdsUnique;
import io.jobqueue.node.Worker;
import io.jobqueue.spring.actuate.JobQueueHealthIndicator;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/**
 * The health contributor {@code jobqueue}. Off with
 * {@code management.health.jobqueue.enabled=false}.
 */
@AutoConfiguration(after = JobQueueWorkerAutoConfiguration.class,
		beforeName = "org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration")
@ConditionalOnClass({ HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class })
@ConditionalOnBean(Worker.class)
@ConditionalOnEnabledHealthIndicator("jobqueue")
public final class JobQueueHealthAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(name = "jobqueueHealthIndicator")
	JobQueueHealthIndicator jobqueueHealthIndicator(Worker worker, ObjectProvider<KeepIdsUnique> ids) {
		return new JobQueueHealthIndicator(worker,
				() -> ids.stream().map(KeepIdsUnique::problem).collect(Collectors.joining()));
	}

}
