package io.jobqueue.spring.schema;

import java.util.Set;

import org.springframework.boot.sql.init.dependency.AbstractBeansOfTypeDatabaseInitializerDetector;

/**
 * Tells Spring Boot that the queue's schema is one of the things that initialize the
 * database, after the application's own.
 */
class JobQueueSchemaDetector extends AbstractBeansOfTypeDatabaseInitializerDetector {

	private static final int AFTER_FLYWAY = 10;

	@Override
	protected Set<Class<?>> getDatabaseInitializerBeanTypes() {
		return Set.of(JobQueueSchema.class);
	}

	@Override
	public int getOrder() {
		return AFTER_FLYWAY;
	}

}
