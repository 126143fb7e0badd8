package io.jobqueue.spring.autoconfigure;

import io.jobqueue.spring.handler.ExpectedHandlers;
import io.jobqueue.worker.Handlers;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.ResourceLoader;

/**
 * Says which handlers were compiled and are on no bean, where jobs are to run. A test of
 * a part of the application leaves the others out on purpose: Spring Boot's slices set
 * that property.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnBooleanProperty(name = EnableAutoConfiguration.ENABLED_OVERRIDE_PROPERTY, matchIfMissing = true)
class ExpectedHandlersConfiguration {

	@Bean
	@ConditionalOnMissingBean
	ExpectedHandlers jobQueueExpectedHandlers(ResourceLoader resources, ConfigurableListableBeanFactory beans,
			Handlers handlers) {
		return new ExpectedHandlers(resources, beans, handlers);
	}

}
