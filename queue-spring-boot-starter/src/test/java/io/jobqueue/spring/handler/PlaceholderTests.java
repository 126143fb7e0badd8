package io.jobqueue.spring.handler;

import java.time.Duration;

import io.jobqueue.Backoff;
import io.jobqueue.JobHandler;
import io.jobqueue.JobQueue;
import io.jobqueue.worker.Handler;
import io.jobqueue.worker.Handlers;

import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Properties in the texts of a handler's annotation.
 */
class PlaceholderTests extends HandlerTests {

	@Test
	void typeTimeoutAndBackoffMayBeProperties() {
		this.runner.withUserConfiguration(FromProperties.class)
			.withPropertyValues("my.type=mine", "my.timeout=90s", "my.delay=3s")
			.run((context) -> {
				Handler handler = context.getBean(Handlers.class).find("mine");
				assertThat(handler).isNotNull();
				assertThat(handler.timeout()).isEqualTo(Duration.ofSeconds(90));
				assertThat(handler.retry().backoff().delay()).isEqualTo(Duration.ofSeconds(3));
				assertThat(handler.retry().backoff().maxDelay()).isEqualTo(Duration.ofSeconds(9));
				context.getBean(JobQueue.class).enqueue("mine");
				assertThat(next()).isEqualTo("mine");
			});
	}

	@Test
	void aPropertyThatDoesNotExistFailsTheStart() {
		this.runner.withUserConfiguration(FromProperties.class)
			.withPropertyValues("my.type=mine", "my.delay=3s")
			.run((context) -> assertThat(context).hasFailed()
				.getFailure()
				.isInstanceOf(InvalidJobHandlerException.class)
				.hasMessageContaining("my.timeout")
				.hasMessageContaining("FromProperties"));
	}

	@Test
	void whatAPropertySaysIsChecked() {
		this.runner.withUserConfiguration(FromProperties.class)
			.withPropertyValues("my.type=not a type", "my.timeout=90s", "my.delay=3s")
			.run((context) -> assertThat(context).hasFailed().getFailure().hasMessageContaining("'not a type'"));
	}

	@Configuration(proxyBeanMethods = false)
	static class FromProperties {

		@JobHandler(value = "${my.type}", timeout = "${my.timeout}",
				backoff = @Backoff(delay = "${my.delay}", maxDelay = "${my.max-delay:9s}"))
		void handle() {
			received.add("mine");
		}

	}

}
