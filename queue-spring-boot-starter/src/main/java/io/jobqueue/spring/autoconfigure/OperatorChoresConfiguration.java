package io.jobqueue.spring.autoconfigure;

import java.time.Duration;

import io.jobqueue.maintenance.PruneAudit;
import io.jobqueue.maintenance.RunOperations;
import io.jobqueue.maintenance.SweepDeadJobs;
import io.jobqueue.node.QueueNode;

import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * What a node with a worker does for operators.
 */
@Configuration(proxyBeanMethods = false)
final class OperatorChoresConfiguration {

	private static final Duration DEAD_JOBS_INTERVAL = Duration.ofMinutes(1);

	@Bean
	@ConditionalOnMissingBean
	SweepDeadJobs jobQueueSweepDeadJobs(QueueNode node) {
		return node.chores().sweepDeadJobs(DEAD_JOBS_INTERVAL);
	}

	@Bean
	@ConditionalOnMissingBean
	RunOperations jobQueueRunOperations(QueueNode node) {
		return node.chores().runOperations();
	}

	@Bean
	@ConditionalOnMissingBean
	PruneAudit jobQueuePruneAudit(QueueNode node, JobQueueProperties properties) {
		return node.chores().pruneAudit(properties.audit().keep());
	}

}
