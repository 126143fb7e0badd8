package io.jobqueue.spring.autoconfigure;

import io.jobqueue.JobHandler;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * What the tests of the auto-configurations have in common: an application with a
 * database in memory and every auto-configuration.
 */
abstract class AutoConfigurationTests {

	final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withPropertyValues("spring.datasource.generate-unique-name=true", "jobqueue.worker.poll-interval=200ms")
		.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
				DataSourceTransactionManagerAutoConfiguration.class, TransactionAutoConfiguration.class,
				JdbcTemplateAutoConfiguration.class, JacksonAutoConfiguration.class, JobQueueAutoConfiguration.class,
				JobQueueWorkerAutoConfiguration.class, JobQueueSchedulesAutoConfiguration.class,
				JobQueueSamplerAutoConfiguration.class, JobQueueMetricsAutoConfiguration.class,
				JobQueueWorkerMetricsAutoConfiguration.class, JobQueueHealthAutoConfiguration.class,
				JobQueueEndpointAutoConfiguration.class, JobQueueHistoryAutoConfiguration.class));

	@Configuration(proxyBeanMethods = false)
	static class Greeter {

		volatile String greeted;

		volatile String thread;

		@JobHandler("greet")
		void greet(String name) {
			this.thread = Thread.currentThread().toString();
			this.greeted = name;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Meters {

		@Bean
		MeterRegistry registry() {
			return new SimpleMeterRegistry();
		}

	}

}
