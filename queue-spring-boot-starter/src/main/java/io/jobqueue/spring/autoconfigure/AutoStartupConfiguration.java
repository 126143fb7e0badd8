package io.jobqueue.spring.autoconfigure;

import io.jobqueue.spring.worker.AutoStartup;

import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Says what starts with the application. The test kit may say otherwise.
 */
@Configuration(proxyBeanMethods = false)
class AutoStartupConfiguration {

	@Bean
	@ConditionalOnMissingBean
	AutoStartup jobQueueAutoStartup(JobQueueProperties properties) {
		return new AutoStartup(properties.autoStartup());
	}

}
