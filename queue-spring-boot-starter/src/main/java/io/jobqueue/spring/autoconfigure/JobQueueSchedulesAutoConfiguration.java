package io.jobqueue.spring.autoconfigure;

import io.jobqueue.maintenance.DeclareSchedules;
import io.jobqueue.maintenance.FireSchedules;
import io.jobqueue.maintenance.ForgetTicks;
import io.jobqueue.node.QueueNode;
import io.jobqueue.spring.handler.DeclaredSchedules;
import io.jobqueue.store.StoredJobQueue;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * What enqueues recurring jobs, as part of the maintenance of each node with a worker.
 */
@AutoConfiguration(after = JobQueueAutoConfiguration.class, before = JobQueueWorkerAutoConfiguration.class)
@ConditionalOnBean(StoredJobQueue.class)
@ConditionalOnBooleanProperty(name = "jobqueue.worker.enabled", matchIfMissing = true)
public final class JobQueueSchedulesAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	FireSchedules jobQueueFireSchedules(QueueNode node) {
		return node.chores().fireSchedules();
	}

	@Bean
	@ConditionalOnMissingBean
	DeclareSchedules jobQueueDeclareSchedules(QueueNode node, DeclaredSchedules declared,
			JobQueueProperties properties) {
		return node.chores().declareSchedules(declared::all, properties.schedules().revision());
	}

	@Bean
	@ConditionalOnMissingBean
	ForgetTicks jobQueueForgetTicks(QueueNode node, JobQueueProperties properties) {
		return new ForgetTicks(node.stores().schedules(), properties.archive().pruneInterval());
	}

}
