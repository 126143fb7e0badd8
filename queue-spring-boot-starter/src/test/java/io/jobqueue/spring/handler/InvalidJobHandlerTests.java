package io.jobqueue.spring.handler;

import java.sql.Connection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;

import io.jobqueue.Backoff;
import io.jobqueue.Job;
import io.jobqueue.JobHandler;
import io.jobqueue.worker.Handlers;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import jakarta.servlet.http.HttpServletRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.http.HttpEntity;
import org.springframework.http.HttpStatus;
import org.springframework.scheduling.annotation.Async;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
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
	void aHandlerWithALimitThatNobodyHasSetFailsTheStart() {
		this.runner.withUserConfiguration(UnknownLimit.class)
			.withPropertyValues("jobqueue.limits.partner.running=1")
			.run((context) -> assertThat(context).hasFailed()
				.getFailure()
				.isInstanceOf(InvalidJobHandlerException.class)
				.hasMessageContaining("its limit 'nobody' is not there: set jobqueue.limits.nobody.running or .starts; "
						+ "there are [partner]"));
		this.runner.withUserConfiguration(UnknownLimit.class)
			.withPropertyValues("jobqueue.limits.nobody.running=1")
			.run((context) -> assertThat(context.getBean(Handlers.class).find("limited").limit()).isEqualTo("nobody"));
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
						+ "|backoff delay must be at most maxDelay, but is 2h, and that is 1h).*"));
	}

	@ParameterizedTest
	@ValueSource(classes = { TakesABean.class, TakesARepository.class })
	void aParameterThatIsABeanFailsTheStart(Class<?> configuration) {
		this.runner.withUserConfiguration(configuration, Service.class)
			.run((context) -> assertThat(context).hasFailed()
				.getFailure()
				.isInstanceOf(InvalidJobHandlerException.class)
				.hasMessageMatching(
						"(?s).*has a parameter of type .*(Service|Repository), which would be read from the "
								+ "payload, but is a bean.*"));
	}

	@ParameterizedTest
	@ValueSource(classes = { TakesARequest.class, TakesAnEntity.class, TakesAConnection.class })
	void aParameterThatNoPayloadCanBeFailsTheStart(Class<?> configuration) {
		this.runner.withUserConfiguration(configuration)
			.run((context) -> assertThat(context).hasFailed()
				.getFailure()
				.hasMessageContaining("which no payload can be")
				.hasMessageContaining(configuration.getSimpleName()));
	}

	@Test
	void aDeadJobIsForTheHandlersOfDeadJobsOnly() {
		this.runner.withUserConfiguration(TakesADeadJob.class)
			.run((context) -> assertThat(context).hasFailed()
				.getFailure()
				.hasMessageContaining("only the method of a @DeadJobHandler can have"));
	}

	@ParameterizedTest
	@ValueSource(classes = { TakesARecord.class, TakesAStatus.class })
	void whatMayBeAPayloadIsNone(Class<?> configuration) {
		this.runner.withUserConfiguration(configuration).run((context) -> assertThat(context).hasNotFailed());
	}

	@Configuration(proxyBeanMethods = false)
	static class TakesADeadJob {

		@JobHandler("any")
		void handle(Job job) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TakesARecord {

		@Bean
		Line line() {
			return new Line("tea", 1);
		}

		@JobHandler("any")
		void handle(Line line) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TakesAStatus {

		@JobHandler("any")
		void handle(HttpStatus status) {
		}

	}

	/** Jackson can tell from the data which one is meant. */
	@Test
	void aPolymorphicPayloadOfWhichThereIsABeanIsNoBean() {
		this.runner.withUserConfiguration(TakesAnEvent.class).run((context) -> assertThat(context).hasNotFailed());
	}

	@ParameterizedTest
	@ValueSource(classes = { OfARequest.class, OfASession.class })
	void aHandlerOfARequestsBeanFailsTheStart(Class<?> configuration) {
		this.runner.withUserConfiguration(configuration)
			.run((context) -> assertThat(context).hasFailed()
				.getFailure()
				.hasMessageContaining("belongs to a bean of scope"));
	}

	@ParameterizedTest
	@ValueSource(classes = { RequiresNew.class, NotSupported.class, Never.class, OnTheClass.class })
	void aTransactionalHandlerThatLeavesItsTransactionFailsTheStart(Class<?> configuration) {
		this.runner.withUserConfiguration(configuration)
			.run((context) -> assertThat(context).hasFailed()
				.getFailure()
				.hasMessageContaining("leaves that transaction"));
	}

	@Test
	void aTransactionalHandlerMayTakePartInItsTransaction() {
		this.runner.withUserConfiguration(TakesPart.class).run((context) -> assertThat(context).hasNotFailed());
	}

	@Configuration(proxyBeanMethods = false)
	static class Service {

		@Bean
		Repository repository() {
			return () -> "a repository";
		}

	}

	interface Repository {

		String name();

	}

	@Configuration(proxyBeanMethods = false)
	static class TakesABean {

		@JobHandler("any")
		void handle(Service service) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TakesARepository {

		@JobHandler("any")
		void handle(Repository repository) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TakesARequest {

		@JobHandler("any")
		void handle(HttpServletRequest request) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TakesAnEntity {

		@JobHandler("any")
		void handle(HttpEntity<String> entity) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TakesAConnection {

		@JobHandler("any")
		void handle(Connection connection) {
		}

	}

	@JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
	@JsonSubTypes(@JsonSubTypes.Type(Started.class))
	interface Event {

	}

	static class Started implements Event {

	}

	@Configuration(proxyBeanMethods = false)
	static class TakesAnEvent {

		@Bean
		Started started() {
			return new Started();
		}

		@JobHandler("any")
		void handle(Event event) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Scope("request")
	static class OfARequest {

		@JobHandler("any")
		void handle() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Scope(scopeName = "session", proxyMode = ScopedProxyMode.TARGET_CLASS)
	static class OfASession {

		@JobHandler("any")
		void handle() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class RequiresNew {

		@Transactional(propagation = Propagation.REQUIRES_NEW)
		@JobHandler(value = "any", transactional = true)
		void handle() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class NotSupported {

		@Transactional(propagation = Propagation.NOT_SUPPORTED)
		@JobHandler(value = "any", transactional = true)
		void handle() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Never {

		@Transactional(propagation = Propagation.NEVER)
		@JobHandler(value = "any", transactional = true)
		void handle() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Transactional(propagation = Propagation.REQUIRES_NEW)
	static class OnTheClass {

		@JobHandler(value = "any", transactional = true)
		public void handle() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TakesPart {

		@Transactional
		@JobHandler(value = "any", transactional = true)
		void handle() {
		}

		@Transactional(transactionManager = "ofAnotherDatabase", propagation = Propagation.REQUIRES_NEW)
		@JobHandler(value = "elsewhere", transactional = true)
		void elsewhere() {
		}

		@Transactional(propagation = Propagation.REQUIRES_NEW)
		@JobHandler("plain")
		void plain() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class UnknownLimit {

		@JobHandler(value = "limited", limit = "nobody")
		void run(String payload) {
		}

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
