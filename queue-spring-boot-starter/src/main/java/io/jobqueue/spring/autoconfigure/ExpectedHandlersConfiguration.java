package io.jobqueue.spring.autoconfigure;

import io.jobqueue.spring.handler.ExpectedHandlers;
import io.jobqueue.worker.Handlers;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.ResourceLoader;

/**
 * Says which handlers were compiled and are on no bean, where jobs are to run.
 */
@Configuration(proxyBeanMethods = false)
class ExpectedHandlersConfiguration {

	@Bean
	@ConditionalOnMissingBean
	ExpectedHandlers jobQueueExpectedHandlers(ResourceLoader resources, ConfigurableListableBeanFactory beans,
			Handlers handlers) {
		return new ExpectedHandlers(resources, beans, handlers);
	}

}
