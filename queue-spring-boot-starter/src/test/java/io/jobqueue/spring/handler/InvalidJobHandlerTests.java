package io.jobqueue.spring.handler;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;

import io.jobqueue.Backoff;
import io.jobqueue.JobHandler;
import io.jobqueue.worker.Handlers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.Async;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Handlers that fail the start.
 */
class InvalidJobHandlerTests extends HandlerTests {

	@Test
	void twoHandlersForOneTypeFailTheStart() {
		this.runner.withUserConfiguration(Shapes.class, Duplicate.class)
			.run((context) -> assertThat(context).hasFailed()
				.getFailure()
				.isInstanceOf(InvalidJobHandlerException.class)
				.hasMessageContaining("'record'")
				.hasMessageContaining("Duplicate")
				.hasMessageContaining("Shapes"));
	}

	@Test
	void aPrivateHandlerFailsTheStart() {
		this.runner.withUserConfiguration(PrivateHandler.class)
			.run((context) -> assertThat(context).hasFailed().getFailure().hasMessageContaining("is private"));
	}

	@Test
	void aHandlerWithTwoPayloadsFailsTheStart() {
		this.runner.withUserConfiguration(TwoPayloads.class)
			.run((context) -> assertThat(context).hasFailed().getFailure().hasMessageContaining("too many"));
	}

	@Test
	void aHandlerThatAJdkProxyHidesFailsTheStart() {
		this.runner.withUserConfiguration(JdkProxied.class)
			.run((context) -> assertThat(context).hasFailed().getFailure().hasMessageContaining("JDK proxy"));
	}

	@Test
	void aFinalHandlerOfAProxiedBeanFailsTheStart() {
		this.runner.withUserConfiguration(FinalHandler.class)
			.run((context) -> assertThat(context).hasFailed().getFailure().hasMessageContaining("is final"));
	}

	@ParameterizedTest
	@ValueSource(classes = { ReturnsFuture.class, ReturnsPublisher.class, AsyncMethod.class, AsyncClass.class })
	void aHandlerThatGoesOnAfterItHasReturnedFailsTheStart(Class<?> configuration) {
		this.runner.withUserConfiguration(configuration)
			.run((context) -> assertThat(context).hasFailed().getFailure().hasMessageContaining("is asynchronous"));
	}

	@Test
	void aTypeThatBreaksTheRuleFailsTheStart() {
		this.runner.withUserConfiguration(BadType.class)
			.run((context) -> assertThat(context).hasFailed()
				.getFailure()
				.hasMessageContaining("'not a type'")
				.hasMessageContaining("[A-Za-z0-9._-]{1,64}"));
	}

	@ParameterizedTest
	@ValueSource(classes = { NegativeAttempts.class, NotADuration.class, DelayAboveItsMaximum.class })
	void aValueThatCannotBeMeantFailsTheStart(Class<?> configuration) {
		this.runner.withUserConfiguration(configuration)
			.run((context) -> assertThat(context).hasFailed()
				.getFailure()
				.hasMessageMatching("(?s).*(maxAttempts must not be negative, but is -1"
						+ "|timeout must be a duration as 30s, 5m or 1h, but is 'two minutes'"
						+ "|backoff delay must be at most maxDelay, but is PT2H, and that is PT1H).*"));
	}

	@Configuration(proxyBeanMethods = false)
	static class NegativeAttempts {

		@JobHandler(value = "any", maxAttempts = -1)
		void handle() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class NotADuration {

		@JobHandler(value = "any", timeout = "two minutes")
		void handle() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class DelayAboveItsMaximum {

		@JobHandler(value = "any", backoff = @Backoff(delay = "2h", maxDelay = "1h"))
		void handle() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Duplicate {

		@JobHandler("record")
		void again() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class PrivateHandler {

		@JobHandler("private")
		private void handle() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoPayloads {

		@JobHandler("two")
		void handle(String one, String other) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement
	static class FinalHandler {

		@Bean
		HasTransactions bean() {
			return new HasTransactions();
		}

	}

	static class HasTransactions {

		@Transactional
		public void other() {
		}

		@JobHandler("final")
		public final void handle() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ReturnsFuture {

		@JobHandler("later")
		CompletableFuture<Void> handle() {
			return new CompletableFuture<>();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ReturnsPublisher {

		@JobHandler("later")
		Flow.Publisher<String> handle() {
			return (subscriber) -> {
			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class AsyncMethod {

		@Async
		@JobHandler("later")
		void handle() {
		}

	}

	@Async
	@Configuration(proxyBeanMethods = false)
	static class AsyncClass {

		@JobHandler("later")
		void handle() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class BadType {

		@JobHandler("not a type")
		void handle() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class JdkProxied {

		@Bean
		Runnable proxy() {
			ProxyFactory factory = new ProxyFactory(new NotInInterface());
			factory.setProxyTargetClass(false);
			return (Runnable) factory.getProxy();
		}

	}

	static class NotInInterface implements Runnable {

		@Override
		public void run() {
		}

		@JobHandler("unreachable")
		public void handle() {
		}

	}

}
