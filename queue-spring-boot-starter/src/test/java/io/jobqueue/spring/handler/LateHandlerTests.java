package io.jobqueue.spring.handler;

import io.jobqueue.JobHandler;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Handlers that start-up cannot see.
 */
@ExtendWith(OutputCaptureExtension.class)
class LateHandlerTests extends HandlerTests {

	@Test
	void oneThatItsBeansTypeHidesIsNamedWhenTheBeanIsCreated(CapturedOutput output) {
		this.runner.withUserConfiguration(Hiding.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(output).doesNotContain("was not found at start-up");
			context.getBean("hidden");
			assertThat(output).containsPattern("WARN.*Hidden.handle.*was not found at start-up, so this "
					+ "application runs no 'hidden-type' jobs");
			context.getBean("shown");
			assertThat(output).doesNotContain("'shown-type'");
		});
	}

	@Test
	void onesWithoutTheirPropertyHarmNobody(CapturedOutput output) {
		this.runner.withUserConfiguration(Hiding.class)
			.run((context) -> assertThat(context.getBean("unresolvable")).isNotNull());
	}

	static class Unresolvable implements Runnable {

		@Override
		public void run() {
		}

		@JobHandler("${no.such.property}")
		void handle() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Hiding {

		@Bean
		@Lazy
		Runnable unresolvable() {
			return new Unresolvable();
		}

		@Bean
		@Lazy
		Runnable hidden() {
			return new Hidden();
		}

		@Bean
		@Lazy
		Shown shown() {
			return new Shown();
		}

	}

	static class Hidden implements Runnable {

		@Override
		public void run() {
		}

		@JobHandler("${no.such.property:hidden-type}")
		void handle() {
		}

	}

	static class Shown implements Runnable {

		@Override
		public void run() {
		}

		@JobHandler("shown-type")
		void handle() {
		}

	}

}
