package io.jobqueue.spring.handler;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.jobqueue.Backoff;
import io.jobqueue.Job;
import io.jobqueue.JobContext;
import io.jobqueue.JobHandler;
import io.jobqueue.JobQueue;
import io.jobqueue.JobState;
import io.jobqueue.spring.autoconfigure.JobQueueAutoConfiguration;
import io.jobqueue.spring.autoconfigure.JobQueueWorkerAutoConfiguration;
import io.jobqueue.worker.Handler;
import io.jobqueue.worker.Handlers;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Methods as job handlers: which are found, how they are called, and what their payloads
 * become.
 */
class JobHandlerTests {

	private static final BlockingQueue<Object> received = new LinkedBlockingQueue<>();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withPropertyValues("spring.datasource.generate-unique-name=true", "jobqueue.worker.poll-interval=100ms",
				"jobqueue.retry.delay=10ms")
		.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
				DataSourceTransactionManagerAutoConfiguration.class, TransactionAutoConfiguration.class,
				JdbcTemplateAutoConfiguration.class, JacksonAutoConfiguration.class, JobQueueAutoConfiguration.class,
				JobQueueWorkerAutoConfiguration.class));

	@BeforeEach
	void clear() {
		received.clear();
	}

	private static Object next() throws InterruptedException {
		return received.poll(30, TimeUnit.SECONDS);
	}

	private static Job await(JobQueue queue, long id, JobState state) {
		Awaitility.await().until(() -> queue.find(id).orElseThrow().state() == state);
		return queue.find(id).orElseThrow();
	}

	@Test
	void payloadsArriveInTheTypeOfTheParameter() {
		Order order = new Order(42, new BigDecimal("9.90"), Instant.parse("2026-03-29T01:30:00.123456Z"),
				LocalDate.of(2024, 2, 29), List.of(new Line("tea", 2)), Optional.empty());
		this.runner.withUserConfiguration(Shapes.class).run((context) -> {
			JobQueue queue = context.getBean(JobQueue.class);
			queue.enqueue("record", order);
			assertThat(next()).isEqualTo(order);
			queue.enqueue("generic", Map.of("a", List.of(new Line("tea", 2))));
			assertThat(next()).isEqualTo(Map.of("a", List.of(new Line("tea", 2))));
			queue.enqueue("inherited", new Line("cup", 1));
			assertThat(next()).isEqualTo(new Line("cup", 1));
			long id = queue.enqueue("context-only");
			assertThat(next()).isEqualTo(id);
			queue.enqueue("both", "text");
			assertThat(next()).isEqualTo("text 1");
			queue.enqueue("nothing", "ignored");
			assertThat(next()).isEqualTo("nothing");
		});
	}

	@Test
	void theAnnotationSaysHowToRetry() {
		this.runner.withUserConfiguration(Shapes.class).run((context) -> {
			Handlers handlers = context.getBean(Handlers.class);
			Handler handler = handlers.find("tuned");
			assertThat(handler).isNotNull();
			assertThat(handler.retry().maxAttempts()).isEqualTo(3);
			assertThat(handler.retry().backoff().delay()).hasMillis(500);
			assertThat(handler.retry().backoff().multiplier()).isEqualTo(1);
			assertThat(handler.retry().backoff().maxDelay()).hasMinutes(60);
			assertThat(handler.retry().noRetryFor()).containsExactly(IllegalArgumentException.class);
			assertThat(handler.timeout()).hasMinutes(2);
			assertThat(handlers.find("record").timeout()).hasMinutes(60);
		});
	}

	@Test
	void lazyBeansStayLazyUntilTheirFirstJob() {
		this.runner.withUserConfiguration(LazyBean.class).run((context) -> {
			assertThat(received).isEmpty();
			assertThat(context.getBean(Handlers.class).types()).containsExactly("lazy");
			context.getBean(JobQueue.class).enqueue("lazy");
			assertThat(next()).isEqualTo("created");
			assertThat(next()).isEqualTo("lazy");
		});
	}

	@Test
	void proxiesAreCalledThrough() {
		this.runner.withUserConfiguration(ProxiedBean.class).run((context) -> {
			assertThat(AopUtils.isAopProxy(context.getBean(Proxied.class))).isTrue();
			context.getBean(JobQueue.class).enqueue("proxied");
			assertThat(next()).isEqualTo("in a transaction: true");
		});
	}

	@Test
	void theActualClassOfABeanCountsAndNotTheDeclaredOne() {
		this.runner.withUserConfiguration(HiddenBehindInterface.class).run((context) -> {
			context.getBean(JobQueue.class).enqueue("hidden");
			assertThat(next()).isEqualTo("hidden");
		});
	}

	@Test
	void whatCannotBeReadIsDeadAtOnceAndOthersFlowOn() {
		this.runner.withUserConfiguration(Shapes.class).run((context) -> {
			JobQueue queue = context.getBean(JobQueue.class);
			JdbcTemplate sql = context.getBean(JdbcTemplate.class);
			sql.update("INSERT INTO jobqueue_job (type, payload) VALUES ('record', '{\"secret-broken')");
			sql.update("INSERT INTO jobqueue_job (type, payload) VALUES ('record', '[\"secret-array\"]')");
			sql.update("INSERT INTO jobqueue_job (type, payload) VALUES ('record', '{\"id\":\"secret-text\"}')");
			sql.update("INSERT INTO jobqueue_job (type, payload) VALUES ('record', 'null')");
			sql.update("INSERT INTO jobqueue_job (type) VALUES ('record')");
			sql.update("INSERT INTO jobqueue_job (type, payload) VALUES ('record', ?)", "[".repeat(100_000));
			long good = queue.enqueue("both", "good");
			await(queue, good, JobState.SUCCEEDED);
			Awaitility.await()
				.until(() -> sql.queryForObject("SELECT COUNT(*) FROM jobqueue_archive WHERE state = 4",
						Long.class) == 6);
			List<Long> dead = sql.queryForList("SELECT id FROM jobqueue_archive WHERE state = 4", Long.class);
			for (long id : dead) {
				Job job = queue.find(id).orElseThrow();
				assertThat(job.attempt()).isEqualTo(1);
				assertThat(job.lastError().orElseThrow().message()).contains("payload").doesNotContain("secret");
				assertThat(job.lastError().orElseThrow().stackTrace()).doesNotContain("secret");
			}
		});
	}

	@Test
	void aClassNameInTheDataChangesNothing() {
		this.runner.withUserConfiguration(Shapes.class).run((context) -> {
			context.getBean(JdbcTemplate.class)
				.update("INSERT INTO jobqueue_job (type, payload) VALUES ('object', ?)",
						"{\"@class\":\"java.util.Date\",\"name\":\"x\"}");
			assertThat(next()).isEqualTo(Map.of("@class", "java.util.Date", "name", "x"));
		});
	}

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
	void aTypeThatBreaksTheRuleFailsTheStart() {
		this.runner.withUserConfiguration(BadType.class)
			.run((context) -> assertThat(context).hasFailed()
				.getFailure()
				.hasMessageContaining("'not a type'")
				.hasMessageContaining("[A-Za-z0-9._-]{1,64}"));
	}

	record Line(String article, int count) {
	}

	record Order(long id, BigDecimal amount, Instant at, LocalDate day, List<Line> lines, Optional<String> note) {
	}

	abstract static class Inherited<T> {

		@JobHandler("inherited")
		void handle(T payload) {
			received.add(payload);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Shapes extends Inherited<Line> {

		@JobHandler("record")
		void onRecord(Order order) {
			received.add(order);
		}

		@JobHandler("generic")
		void generic(Map<String, List<Line>> lines) {
			received.add(lines);
		}

		@JobHandler("context-only")
		void contextOnly(JobContext job) {
			received.add(job.id());
		}

		@JobHandler("both")
		void both(JobContext job, String text) {
			received.add(text + " " + job.attempt());
		}

		@JobHandler("nothing")
		void nothing() {
			received.add("nothing");
		}

		@JobHandler("object")
		void object(Object payload) {
			received.add(payload);
		}

		@JobHandler(value = "tuned", maxAttempts = 3, backoff = @Backoff(delay = "500ms", multiplier = 1),
				timeout = "2m", noRetryFor = IllegalArgumentException.class)
		void tuned() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class LazyBean {

		@Bean
		@Lazy
		LazyHandler lazyHandler() {
			return new LazyHandler();
		}

	}

	static class LazyHandler {

		LazyHandler() {
			received.add("created");
		}

		@JobHandler("lazy")
		void handle() {
			received.add("lazy");
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ProxiedBean {

		@Bean
		Proxied proxied() {
			return new Proxied();
		}

	}

	static class Proxied {

		@JobHandler("proxied")
		@Transactional
		void handle() {
			received.add("in a transaction: " + TransactionSynchronizationManager.isActualTransactionActive());
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class HiddenBehindInterface {

		@Bean
		Runnable hidden() {
			return new Hidden();
		}

	}

	static class Hidden implements Runnable {

		@Override
		@JobHandler("hidden")
		public void run() {
			received.add("hidden");
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
