package io.jobqueue.spring.security;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.read.ListAppender;
import io.jobqueue.Job;
import io.jobqueue.JobHandler;
import io.jobqueue.JobQueue;
import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.PermanentJobException;
import io.jobqueue.spring.autoconfigure.JobQueueAutoConfiguration;
import io.jobqueue.spring.autoconfigure.JobQueueSamplerAutoConfiguration;
import io.jobqueue.spring.autoconfigure.JobQueueWorkerAutoConfiguration;
import io.jobqueue.test.TestDatabase;
import io.jobqueue.test.TestSchema;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * An operator who turns every log to its finest level, those of the libraries included,
 * sees no payload.
 */
class PayloadsInLogsTests {

	private static final String SECRET = "4929-1234-5678";

	private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);

	private final Logger own = (Logger) LoggerFactory.getLogger("io.jobqueue");

	private final Level levelOfRoot = this.root.getLevel();

	private final Level levelOfOwn = this.own.getLevel();

	private final ListAppender<ILoggingEvent> logged = new ListAppender<>();

	private final Map<String, Appender<ILoggingEvent>> others = new HashMap<>();

	@BeforeEach
	void turnOn() {
		this.logged.start();
		this.root.iteratorForAppenders().forEachRemaining((appender) -> this.others.put(appender.getName(), appender));
		this.others.values().forEach(this.root::detachAppender);
		this.root.addAppender(this.logged);
		this.root.setLevel(Level.TRACE);
		this.own.setLevel(Level.TRACE);
	}

	@AfterEach
	void turnOff() {
		this.root.detachAppender(this.logged);
		this.others.values().forEach(this.root::addAppender);
		this.root.setLevel(this.levelOfRoot);
		this.own.setLevel(this.levelOfOwn);
	}

	@ParameterizedTest
	@EnumSource(names = { "MYSQL", "MARIADB" })
	void noPayloadIsLogged(TestDatabase server) {
		assumeTrue(server.isAvailable(), server::whyNot);
		try (TestSchema schema = server.createEmpty()) {
			new ApplicationContextRunner()
				.withPropertyValues("spring.datasource.url=" + schema.jdbcUrl(),
						"spring.datasource.username=" + schema.username(),
						"spring.datasource.password=" + schema.password(), "jobqueue.worker.poll-interval=200ms")
				.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
						DataSourceTransactionManagerAutoConfiguration.class, TransactionAutoConfiguration.class,
						JdbcTemplateAutoConfiguration.class, JacksonAutoConfiguration.class,
						JobQueueAutoConfiguration.class, JobQueueWorkerAutoConfiguration.class,
						JobQueueSamplerAutoConfiguration.class))
				.withUserConfiguration(Handlers.class)
				.run((context) -> {
					JobQueue queue = context.getBean(JobQueue.class);
					liveThrough(queue, context.getBean(TransactionTemplate.class));

				});
		}
		assertThat(this.logged.list).hasSizeGreaterThan(100);
		assertThat(List.copyOf(this.logged.list).stream().map(PayloadsInLogsTests::text))
			.filteredOn((text) -> text.contains(SECRET))
			.isEmpty();
	}

	private void liveThrough(JobQueue queue, TransactionTemplate transaction) {
		Card card = new Card(SECRET, "");
		Card large = new Card(SECRET, "x".repeat(100_000));
		List<Long> succeeded = queue.enqueueAll(List.of(NewJob.of("quiet", card), NewJob.of("quiet", large),
				NewJob.of("quiet", card).uniqueKey("key"), NewJob.of("posting", card)));
		transaction.executeWithoutResult((status) -> queue.enqueue("quiet", card));
		transaction.executeWithoutResult((status) -> {
			queue.enqueue("quiet", card);
			status.setRollbackOnly();
		});
		long cancelled = queue.enqueue(NewJob.of("quiet", card).delay(Duration.ofHours(1)));
		assertThat(queue.cancel(cancelled)).isTrue();
		long unhandled = queue.enqueue("nobody", card);
		long dead = queue.enqueue("failing", large);
		long unreadable = queue.enqueue("quiet", Map.of("number", List.of(SECRET)));
		await(queue, dead, JobState.DEAD);
		await(queue, unreadable, JobState.DEAD);
		succeeded.forEach((id) -> await(queue, id, JobState.SUCCEEDED));
		assertThat(queue.redrive(dead)).isTrue();
		await(queue, dead, JobState.DEAD);
		await(queue, unhandled, JobState.READY);
	}

	private static void await(JobQueue queue, long id, JobState state) {
		Awaitility.await().until(() -> queue.find(id).orElseThrow().state() == state);
	}

	private static String text(ILoggingEvent event) {
		String text = event.getLoggerName() + ": " + event.getFormattedMessage();
		return (event.getThrowableProxy() != null) ? text + ThrowableProxyUtil.asString(event.getThrowableProxy())
				: text;
	}

	record Card(String number, String more) {

	}

	@Configuration(proxyBeanMethods = false)
	static class Handlers {

		@JobHandler("quiet")
		void quiet(Card card) {
		}

		@JobHandler(value = "posting", transactional = true)
		void post(Card card) {
		}

		@JobHandler("failing")
		void fail(Card card) {
			throw new PermanentJobException("The bank says no");
		}

	}

}
