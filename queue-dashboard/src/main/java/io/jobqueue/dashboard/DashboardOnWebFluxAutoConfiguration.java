package io.jobqueue.dashboard;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;

/**
 * Says what is missing in applications on WebFlux, where there is no dashboard.
 */
@AutoConfiguration
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnBooleanProperty(name = "jobqueue.dashboard.enabled", matchIfMissing = true)
public final class DashboardOnWebFluxAutoConfiguration {

	private static final Logger log = LoggerFactory.getLogger(DashboardOnWebFluxAutoConfiguration.class);

	@Bean
	ApplicationListener<ApplicationReadyEvent> jobQueueDashboardNotice() {
		return (ready) -> log.warn("There is no dashboard: it needs Spring MVC, and this application is on WebFlux. "
				+ "Have a small application on Spring MVC beside it, on the same database and with "
				+ "jobqueue.worker.enabled=false, or use the endpoint 'jobqueue'. "
				+ "jobqueue.dashboard.enabled=false silences this line");
	}

}
