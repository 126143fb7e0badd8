package io.jobqueue.spring.autoconfigure;

import io.jobqueue.maintenance.DeclareLimits;
import io.jobqueue.maintenance.QueueModes;
import io.jobqueue.node.KeyStores;
import io.jobqueue.spring.schema.ClaimCheck;
import io.jobqueue.spring.worker.BeforeStart;
import io.jobqueue.spring.worker.SettingsForAll;
import io.jobqueue.spring.worker.WorkerCheck;

import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * What a node with a worker says for all nodes.
 */
@Configuration(proxyBeanMethods = false)
class SettingsForAllConfiguration {

	@Bean
	@ConditionalOnMissingBean
	DeclareLimits jobQueueDeclareLimits(KeyStores stores, JobQueueProperties properties) {
		return new DeclareLimits(stores.limits(), LimitProperties.all(properties.limits()),
				properties.schedules().revision());
	}

	@Bean
	@ConditionalOnMissingBean
	SettingsForAll jobQueueSettingsForAll(QueueModes modes, DeclareLimits limits) {
		return new SettingsForAll(modes, limits);
	}

	@Bean
	@ConditionalOnMissingBean
	BeforeStart jobQueueBeforeStart(WorkerCheck check, ClaimCheck claimCheck, SettingsForAll settings) {
		return new BeforeStart(check, claimCheck, settings);
	}

}
