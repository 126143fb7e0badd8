package io.jobqueue.spring.autoconfigure;

import io.jobqueue.AuditLog;
import io.jobqueue.CurrentActor;
import io.jobqueue.Jobs;
import io.jobqueue.Operations;
import io.jobqueue.database.Database;
import io.jobqueue.node.OperatorStores;
import io.jobqueue.node.QueueNode;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.store.Audit;
import io.jobqueue.store.StoredJobs;
import io.jobqueue.store.StoredOperations;

import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.ClassUtils;

/**
 * What operators look at, and what they do.
 */
@Configuration(proxyBeanMethods = false)
final class OperatorConfiguration {

	private static final String SECURITY = "org.springframework.security.core.context.SecurityContextHolder";

	@Bean
	@ConditionalOnMissingBean
	OperatorStores jobQueueOperatorStores(Database database, StoreSettings settings) {
		return OperatorStores.on(database, settings);
	}

	@Bean
	@ConditionalOnMissingBean
	CurrentActor jobQueueCurrentActor() {
		return ClassUtils.isPresent(SECURITY, getClass().getClassLoader()) ? new SecurityActor() : CurrentActor.UNKNOWN;
	}

	@Bean
	@ConditionalOnMissingBean(Jobs.class)
	StoredJobs jobQueueJobs(QueueNode node) {
		return node.jobs();
	}

	@Bean
	@ConditionalOnMissingBean(Operations.class)
	StoredOperations jobQueueOperations(QueueNode node, JobQueueProperties properties) {
		return node.operations(Math.toIntExact(properties.maxPayloadSize().toBytes()));
	}

	@Bean
	@ConditionalOnMissingBean(AuditLog.class)
	Audit jobQueueAudit(QueueNode node) {
		return node.audit();
	}

}
