package io.jobqueue.spring.autoconfigure;

import java.time.Duration;

import io.jobqueue.maintenance.SweepDeadJobs;
import io.jobqueue.node.QueueNode;

import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Sees to the causes of dead jobs.
 */
@Configuration(proxyBeanMethods = false)
final class DeadJobsConfiguration {

	private static final Duration INTERVAL = Duration.ofMinutes(1);

	@Bean
	@ConditionalOnMissingBean
	SweepDeadJobs jobQueueSweepDeadJobs(QueueNode node) {
		return node.chores().sweepDeadJobs(INTERVAL);
	}

}
