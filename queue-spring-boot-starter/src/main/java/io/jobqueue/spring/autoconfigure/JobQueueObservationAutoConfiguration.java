package io.jobqueue.spring.autoconfigure;

import io.jobqueue.observe.QueueObserver;
import io.jobqueue.spring.observation.ChunkTracing;
import io.jobqueue.spring.observation.MicrometerObserver;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.Tracer;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/**
 * Observations of enqueues, attempts and commits, where the application makes traces of
 * them: if there is a {@code Tracer}, or with {@code jobqueue.observation.enabled=true}.
 */
@AutoConfiguration(
		afterName = { "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration",
				"org.springframework.boot.micrometer.tracing.autoconfigure.MicrometerTracingAutoConfiguration",
				"org.springframework.boot.micrometer.tracing.autoconfigure.NoopTracerAutoConfiguration" })
@ConditionalOnClass(ObservationRegistry.class)
@ConditionalOnBean(ObservationRegistry.class)
@ConditionalOnBooleanProperty(name = "jobqueue.enabled", matchIfMissing = true)
@ConditionalOnBooleanProperty(name = "jobqueue.observation.enabled", matchIfMissing = true)
@Conditional(JobQueueObservationAutoConfiguration.Wanted.class)
public final class JobQueueObservationAutoConfiguration {

	/**
	 * Spring Boot defines a tracer that does nothing where there is no real one.
	 */
	@Bean
	@ConditionalOnMissingBean
	QueueObserver jobQueueObserver(ObservationRegistry registry, Environment environment, ListableBeanFactory beans) {
		boolean asked = environment.getProperty("jobqueue.observation.enabled", Boolean.class, false);
		return (asked || Tracers.isAnyReal(beans)) ? new MicrometerObserver(registry) : QueueObserver.NONE;
	}

	/**
	 * Apart, since there may be no such class.
	 */
	private static final class Tracers {

		static boolean isAnyReal(ListableBeanFactory beans) {
			return beans.getBeansOfType(Tracer.class).values().stream().anyMatch((tracer) -> tracer != Tracer.NOOP);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(Tracer.class)
	@ConditionalOnBean(Tracer.class)
	static class Tracing {

		/** Before those that Spring Boot has for all other observations. */
		@Bean
		@ConditionalOnMissingBean
		@Order(0)
		ChunkTracing jobQueueChunkTracing(Tracer tracer) {
			return new ChunkTracing(tracer);
		}

	}

	/**
	 * Somebody makes something of observations.
	 */
	static class Wanted extends AnyNestedCondition {

		Wanted() {
			super(ConfigurationPhase.REGISTER_BEAN);
		}

		@ConditionalOnBooleanProperty(name = "jobqueue.observation.enabled")
		static class Asked {

		}

		@ConditionalOnBean(type = "io.micrometer.tracing.Tracer")
		static class HasTracer {

		}

	}

}
