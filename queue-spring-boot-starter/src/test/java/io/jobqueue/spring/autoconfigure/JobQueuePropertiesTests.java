package io.jobqueue.spring.autoconfigure;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.time.Duration;
import java.util.Collections;
import java.util.Locale;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.support.SpringFactoriesLoader;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Settings that would harm later are refused at start-up, by name.
 */
class JobQueuePropertiesTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withUserConfiguration(Properties.class);

	@ParameterizedTest
	@CsvSource({ "max-payload-size, 0B", "max-payload-size, 16MB", "inline-payload-size, -1B",
			"inline-payload-size, 16MB", "unique-key-retention, -1s", "unique-key-retention, 36501d", "timeout, -1s",
			"network-timeout, -1s", "sample-interval, -1s", "retry.max-attempts, 0", "retry.delay, -1s",
			"retry.multiplier, 0.9", "retry.multiplier, NaN", "retry.max-delay, -1s", "retry.jitter, -0.1",
			"retry.jitter, 1.1", "worker.queues, mail!", "worker.concurrency, 0", "worker.prefetch, -1",
			"worker.poll-interval, 0s", "worker.heartbeat-interval, 9ms", "worker.session-timeout, 9s",
			"worker.session-timeout, 25h", "worker.shutdown-grace, -1s", "worker.flush-size, 0",
			"worker.flush-delay, -1ms", "archive.succeeded, -1d", "archive.dead, -1d", "archive.cancelled, -1d",
			"archive.expired, 36501d", "archive.prune-interval, 0s", "queues[mail!].order, lifo",
			"limits[mail!].running, 1", "limits[mail].running, -1", "limits[mail].starts, -1", "limits[mail].per, 0s",
			"limits[mail].per, 32d", "limits[mail].burst, 0" })
	void aBadValueIsRefusedByName(String property, String value) {
		this.runner.withPropertyValues("jobqueue." + property + "=" + value)
			.run((context) -> assertThat(description(context.getStartupFailure()))
				.contains("Reason: java.lang.IllegalArgumentException: jobqueue." + property.replaceAll("\\[.*", "")));
	}

	@ParameterizedTest
	@CsvSource({ "worker.concurency, worker.concurrency", "archiv.succeeded, archive.succeeded",
			"concurrency, worker.concurrency", "worker.max-attempts, retry.max-attempts",
			"queues.a.b.mode, queues[a.b].mode", "queues.a.mdoe, queues.a.mode",
			"queues[a.b].weigth, queues[a.b].weight", "limits.api.start, limits.api.starts" })
	void aNameThatIsNoneIsRefused(String property, String meant) {
		this.runner.withPropertyValues("jobqueue." + property + "=row-lock")
			.run((context) -> assertThat(description(context.getStartupFailure()))
				.startsWith("There is no property jobqueue." + property + " (")
				.endsWith("). Did you mean jobqueue." + meant + "?"));
	}

	/**
	 * A wrong hint would be worse: one of these would shorten how long dead jobs are
	 * kept.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "archive.keep", "archive.days", "limits.api.max", "limits.api.rate", "worker.count",
			"worker.slots", "queues.mails.size", "retry.max" })
	void anotherWordIsNotTakenForAMistypedOne(String property) {
		this.runner.withPropertyValues("jobqueue." + property + "=1")
			.run((context) -> assertThat(description(context.getStartupFailure()))
				.startsWith("There is no property jobqueue." + property + " (")
				.endsWith(")."));
	}

	@Test
	void aNameThatIsLikeNoneIsRefused() {
		this.runner.withPropertyValues("jobqueue.something.else.altogether=1", "jobqueue.timeuot=1s")
			.run((context) -> assertThat(description(context.getStartupFailure()))
				.matches("There is no property jobqueue.something.else.altogether \\(.*\\)\\.\n"
						+ "There is no property jobqueue.timeuot \\(.*\\)\\. Did you mean jobqueue.timeout\\?"));
	}

	@Test
	void aWorkersNameHasToFitIntoItsColumn() {
		this.runner.withPropertyValues("jobqueue.worker.name=" + "x".repeat(255))
			.run((context) -> assertThat(context).hasNotFailed());
		this.runner.withPropertyValues("jobqueue.worker.name=" + "x".repeat(256))
			.run((context) -> assertThat(description(context.getStartupFailure()))
				.contains("jobqueue.worker.name must be from 1 to 255 characters, but is 256 characters long"));
	}

	@Test
	void theMessageSaysTheRuleAndTheValue() {
		this.runner.withPropertyValues("jobqueue.worker.concurrency=-3")
			.run((context) -> assertThat(description(context.getStartupFailure()))
				.contains("jobqueue.worker.concurrency must be at least 1, but is -3"));
		this.runner.withPropertyValues("jobqueue.worker.queues=mail,to do")
			.run((context) -> assertThat(description(context.getStartupFailure()))
				.contains("jobqueue.worker.queues: queue must match [A-Za-z0-9._-]{1,64}, but is 'to do'"));
		this.runner.withPropertyValues("jobqueue.worker.heartbeat-interval=10s")
			.run((context) -> assertThat(description(context.getStartupFailure()))
				.contains("at least twice the heartbeat-interval of 10s", "but is 15s"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "max-payload-size=1B", "max-payload-size=16777215B", "inline-payload-size=0B",
			"inline-payload-size=16777215B", "unique-key-retention=0", "unique-key-retention=36500d", "timeout=0",
			"network-timeout=0", "sample-interval=0", "retry.max-attempts=1", "retry.delay=0", "retry.multiplier=1",
			"retry.max-delay=0", "retry.jitter=0", "retry.jitter=1", "worker.queues=", "worker.queues=a.b,C_d,e-1",
			"worker.concurrency=1", "worker.prefetch=0", "worker.poll-interval=1ms", "worker.heartbeat-interval=10ms",
			"worker.session-timeout=10s", "worker.session-timeout=1d", "worker.shutdown-grace=0", "worker.flush-size=1",
			"worker.flush-delay=0", "archive.succeeded=0", "archive.dead=36500d", "archive.prune-interval=1ms",
			"queues[a.B_c-1].order=lifo" })
	void theBoundsThemselvesAreAllowed(String property) {
		this.runner.withPropertyValues("jobqueue." + property)
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(JobQueueProperties.class));
	}

	@Test
	void theAgeOfAnArchivedJobIsInDays() {
		this.runner
			.withPropertyValues("jobqueue.archive.succeeded=1", "jobqueue.archive.dead=2",
					"jobqueue.archive.cancelled=3", "jobqueue.archive.expired=4h")
			.run((context) -> {
				JobQueueProperties.Archive archive = context.getBean(JobQueueProperties.class).archive();
				assertThat(archive.succeeded()).isEqualTo(Duration.ofDays(1));
				assertThat(archive.dead()).isEqualTo(Duration.ofDays(2));
				assertThat(archive.cancelled()).isEqualTo(Duration.ofDays(3));
				assertThat(archive.expired()).isEqualTo(Duration.ofHours(4));
			});
	}

	@ParameterizedTest
	@EnumSource(JobQueueProperties.Schema.class)
	void theSchemaIsChosenByName(JobQueueProperties.Schema schema) {
		this.runner.withPropertyValues("jobqueue.schema=" + schema.name().toLowerCase(Locale.ROOT))
			.run((context) -> assertThat(context.getBean(JobQueueProperties.class).schema()).isEqualTo(schema));
	}

	@Test
	void editorsFindTheNamesOfTheSchema() throws Exception {
		JsonNode schema = metadata("jobqueue.schema");
		assertThat(schema.path("defaultValue").asString()).isEqualTo("migrate");
		assertThat(Class.forName(schema.path("type").asString()).getEnumConstants())
			.extracting((constant) -> constant.toString().toLowerCase(Locale.ROOT))
			.containsExactly("migrate", "validate", "none");
	}

	private static JsonNode metadata(String property) throws IOException {
		for (URL file : Collections.list(JobQueueProperties.class.getClassLoader()
			.getResources("META-INF/spring-configuration-metadata.json"))) {
			try (InputStream json = file.openStream()) {
				for (JsonNode candidate : JsonMapper.shared().readTree(json).path("properties")) {
					if (candidate.path("name").asString().equals(property)) {
						return candidate;
					}
				}
			}
		}
		throw new AssertionError("no metadata of " + property);
	}

	private static String description(Throwable failure) {
		assertThat(failure).isNotNull();
		return SpringFactoriesLoader.forDefaultResourceLocation()
			.load(FailureAnalyzer.class, SpringFactoriesLoader.FailureHandler.handleMessage((message, cause) -> {
			}))
			.stream()
			.flatMap((analyzer) -> Stream.ofNullable(analyzer.analyze(failure)))
			.map(FailureAnalysis::getDescription)
			.findFirst()
			.orElse("");
	}

	@Configuration(proxyBeanMethods = false)
	@EnableConfigurationProperties(JobQueueProperties.class)
	static class Properties {

	}

}
