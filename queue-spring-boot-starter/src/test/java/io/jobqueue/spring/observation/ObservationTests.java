package io.jobqueue.spring.observation;

import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

import io.jobqueue.Job;
import io.jobqueue.JobContext;
import io.jobqueue.JobHandler;
import io.jobqueue.JobQueue;
import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.observe.QueueObserver;
import io.jobqueue.spring.autoconfigure.JobQueueAutoConfiguration;
import io.jobqueue.spring.autoconfigure.JobQueueObservationAutoConfiguration;
import io.jobqueue.spring.autoconfigure.JobQueueSchedulesAutoConfiguration;
import io.jobqueue.spring.autoconfigure.JobQueueWorkerAutoConfiguration;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.BaggageInScope;
import io.micrometer.tracing.Tracer;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.micrometer.tracing.autoconfigure.MicrometerTracingAutoConfiguration;
import org.springframework.boot.micrometer.tracing.autoconfigure.NoopTracerAutoConfiguration;
import org.springframework.boot.micrometer.tracing.opentelemetry.autoconfigure.OpenTelemetryTracingAutoConfiguration;
import org.springframework.boot.opentelemetry.autoconfigure.OpenTelemetrySdkAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Traces go on across the queue, with OpenTelemetry's tracer as Spring Boot sets it up.
 */
class ObservationTests {

	private static final AttributeKey<String> TYPE = AttributeKey.stringKey("jobqueue.job.type");

	private static final BlockingQueue<Map<String, String>> seen = new LinkedBlockingQueue<>();

	private final ApplicationContextRunner plain = new ApplicationContextRunner()
		.withPropertyValues("spring.datasource.generate-unique-name=true", "jobqueue.worker.poll-interval=100ms",
				"jobqueue.retry.delay=10ms", "management.tracing.sampling.probability=1",
				"management.tracing.baggage.remote-fields=tenant",
				"management.tracing.baggage.correlation.fields=tenant")
		.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
				DataSourceTransactionManagerAutoConfiguration.class, TransactionAutoConfiguration.class,
				JdbcTemplateAutoConfiguration.class, JacksonAutoConfiguration.class, JobQueueAutoConfiguration.class,
				JobQueueWorkerAutoConfiguration.class, JobQueueSchedulesAutoConfiguration.class,
				JobQueueObservationAutoConfiguration.class, ObservationAutoConfiguration.class));

	private final ApplicationContextRunner traced = this.plain.withInitializer(ObservationTests::listenAsApplicationsDo)
		.withConfiguration(
				AutoConfigurations.of(OpenTelemetrySdkAutoConfiguration.class, MicrometerTracingAutoConfiguration.class,
						OpenTelemetryTracingAutoConfiguration.class, NoopTracerAutoConfiguration.class))
		.withUserConfiguration(Exporting.class, Handlers.class);

	/**
	 * Spring Boot's listener that tells the log of spans comes with applications only.
	 */
	private static void listenAsApplicationsDo(ConfigurableApplicationContext context) {
		SpringFactoriesLoader.loadFactories(ApplicationListener.class, null)
			.stream()
			.filter((listener) -> listener.getClass().getName().contains("opentelemetry"))
			.forEach(context::addApplicationListener);
	}

	@BeforeEach
	void clear() {
		seen.clear();
	}

	@Test
	void anAttemptBelongsToTheTraceOfItsEnqueue() {
		this.traced.run((context) -> {
			long id = inRequest(context, () -> queue(context).enqueue(NewJob.of("look").queue("mail")));
			Map<String, String> inHandler = next();
			SpanData process = span(context, "process mail");
			SpanData send = span(context, "send mail");
			SpanData request = span(context, "request");
			assertThat(send.getParentSpanId()).isEqualTo(request.getSpanId());
			assertThat(send.getKind()).isEqualTo(SpanKind.PRODUCER);
			assertThat(process.getTraceId()).isEqualTo(request.getTraceId());
			assertThat(process.getParentSpanId()).isEqualTo(send.getSpanId());
			assertThat(process.getKind()).isEqualTo(SpanKind.CONSUMER);
			assertThat(process.getAttributes().asMap()).containsEntry(TYPE, "look")
				.containsEntry(AttributeKey.stringKey("messaging.system"), "jobqueue")
				.containsEntry(AttributeKey.stringKey("messaging.operation.type"), "process")
				.containsEntry(AttributeKey.stringKey("messaging.destination.name"), "mail")
				.containsEntry(AttributeKey.stringKey("messaging.message.id"), Long.toString(id))
				.containsEntry(AttributeKey.stringKey("jobqueue.job.attempt"), "1");
			assertThat(span(context, "in handler").getParentSpanId()).isEqualTo(process.getSpanId());
			assertThat(inHandler).containsEntry("traceId", request.getTraceId())
				.containsEntry("spanId", process.getSpanId())
				.containsEntry("jobId", Long.toString(id));
		});
	}

	@Test
	void theTraceStaysWithTheJob() {
		this.traced.run((context) -> {
			long id = inRequest(context, () -> queue(context).enqueue(NewJob.of("fail").maxAttempts(1)));
			Job dead = await(context, id, JobState.DEAD);
			String traceId = span(context, "request").getTraceId();
			assertThat(dead.trace()).startsWith("traceparent: 00-" + traceId);
			queue(context).redrive(id);
			Awaitility.await()
				.untilAsserted(
						() -> assertThat(spans(context, (span) -> span.getName().equals("process default"))).hasSize(2)
							.allSatisfy((span) -> assertThat(span.getTraceId()).isEqualTo(traceId)));
		});
	}

	@Test
	void eachAttemptIsAChildOfTheSameEnqueueAndSaysWhyItFailed() {
		this.traced.run((context) -> {
			long id = inRequest(context, () -> queue(context).enqueue(NewJob.of("fail").maxAttempts(2)));
			await(context, id, JobState.DEAD);
			String send = span(context, "send default").getSpanId();
			Awaitility.await()
				.untilAsserted(
						() -> assertThat(spans(context, (span) -> span.getName().equals("process default"))).hasSize(2)
							.allSatisfy((span) -> {
								assertThat(span.getParentSpanId()).isEqualTo(send);
								assertThat(span.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
								assertThat(span.getAttributes().get(AttributeKey.stringKey("error.type")))
									.isEqualTo(IllegalStateException.class.getName());
							}));
		});
	}

	/** It counts as failed, whatever the handler makes of its interrupt. */
	@Test
	void anAttemptThatReturnsAfterItsTimeoutHasFailed() {
		this.traced.run((context) -> {
			long id = queue(context).enqueue(NewJob.of("late").maxAttempts(1));
			await(context, id, JobState.DEAD);
			SpanData process = span(context, "process default");
			assertThat(process.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
			assertThat(process.getEvents().toString()).contains("ran longer than its timeout");
		});
	}

	@Test
	void baggageTravelsWithTheJob() {
		this.traced.run((context) -> {
			Tracer tracer = context.getBean(Tracer.class);
			inRequest(context, () -> {
				BaggageInScope baggage = tracer.createBaggageInScope("tenant", "acme");
				try {
					return queue(context).enqueue(NewJob.of("look"));
				}
				finally {
					baggage.close();
				}
			});
			assertThat(next()).containsEntry("tenant", "acme");
		});
	}

	@Test
	void aChunkHasATraceOfItsOwnWithLinksToThoseOfItsJobs() {
		this.traced.withPropertyValues("jobqueue.worker.concurrency=1").run((context) -> {
			queue(context).pause("chunks");
			for (int i = 0; i < 3; i++) {
				inRequest(context, () -> queue(context).enqueue(NewJob.of("chunk", "any").queue("chunks")));
			}
			long untraced = plainSql(context, null);
			queue(context).resume("chunks");
			await(context, untraced, JobState.SUCCEEDED);
			List<String> requests = spans(context, (span) -> span.getName().equals("request")).stream()
				.map(SpanData::getTraceId)
				.toList();
			SpanData process = span(context, "process chunks");
			assertThat(process.getKind()).isEqualTo(SpanKind.CONSUMER);
			assertThat(process.getParentSpanContext().isValid()).isFalse();
			assertThat(process.getLinks()).extracting((link) -> link.getSpanContext().getTraceId())
				.containsExactlyInAnyOrderElementsOf(requests);
			assertThat(process.getAttributes().get(AttributeKey.stringKey("messaging.batch.message_count")))
				.isEqualTo("4");
			assertThat(next()).containsEntry("traceId", process.getTraceId());
		});
	}

	private static long plainSql(ApplicationContext context, String trace) {
		JdbcTemplate sql = context.getBean(JdbcTemplate.class);
		sql.update("INSERT INTO jobqueue_job (type, queue, payload, trace) VALUES ('chunk', 'chunks', '\"any\"', ?)",
				trace);
		return sql.queryForObject("SELECT MAX(id) FROM jobqueue_job", Long.class);
	}

	@Test
	void aTraceThatMakesNoSenseIsNone() {
		this.traced.run((context) -> {
			JdbcTemplate sql = context.getBean(JdbcTemplate.class);
			sql.update("INSERT INTO jobqueue_job (type, trace) VALUES ('look', 'traceparent: 00-zz')");
			sql.update("INSERT INTO jobqueue_job (type, trace) VALUES ('look', ?)", "x".repeat(1_000));
			assertThat(next()).containsKey("traceId");
			assertThat(next()).containsKey("traceId");
			plainSql(context, "traceparent: 00-zz");
			plainSql(context, "traceparent: 00-" + "0".repeat(32) + "-" + "0".repeat(16) + "-01");
			assertThat(next()).containsKey("traceId");
			assertThat(span(context, "process chunks").getLinks()).isEmpty();
		});
	}

	@Test
	void commitsOfResultsAreSpansToo() {
		this.traced.run((context) -> {
			queue(context).enqueue(NewJob.of("look"));
			assertThat(span(context, "settle").getAttributes().asMap())
				.containsEntry(AttributeKey.stringKey("messaging.operation.type"), "settle")
				.containsEntry(AttributeKey.stringKey("messaging.batch.message_count"), "1");
		});
	}

	@Test
	void anEnqueueThatFailsSaysWhy() {
		this.traced.run((context) -> {
			context.getBean(JdbcTemplate.class)
				.execute("ALTER TABLE jobqueue_job ADD CONSTRAINT none CHECK (type <> 'look')");
			assertThatThrownBy(() -> queue(context).enqueue(NewJob.of("look"))).isInstanceOf(RuntimeException.class);
			assertThat(span(context, "send default").getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
			assertThat(context.getBean(Tracer.class).currentSpan()).isNull();
		});
	}

	@Test
	void manyJobsAreOneSend() {
		this.traced.run((context) -> {
			NewJob inChunk = NewJob.of("chunk", "any").queue("b");
			queue(context).enqueueAll(List.of(NewJob.of("look").queue("a"), inChunk, inChunk));
			SpanData send = span(context, "send");
			assertThat(send.getAttributes().get(AttributeKey.stringKey("messaging.batch.message_count")))
				.isEqualTo("3");
			assertThat(span(context, "process a").getParentSpanId()).isEqualTo(send.getSpanId());
			assertThat(span(context, "process b").getLinks()).as("of the one enqueue").hasSize(1);
		});
	}

	@Test
	void aChunkOfOneJobIsAnAttempt() {
		this.traced.run((context) -> {
			queue(context).enqueue(NewJob.of("chunk", "any").queue("b"));
			assertThat(span(context, "process b").getParentSpanId()).isEqualTo(span(context, "send b").getSpanId());
		});
	}

	@Test
	void withoutATracerNothingIsObserved() {
		this.plain.withUserConfiguration(Handlers.class).run((context) -> {
			assertThat(context).hasSingleBean(ObservationRegistry.class).doesNotHaveBean(QueueObserver.class);
			long id = inRequest(context, () -> queue(context).enqueue(NewJob.of("look")));
			assertThat(await(context, id, JobState.SUCCEEDED).trace()).isNull();
		});
	}

	@Test
	void aTracerThatDoesNothingIsNone() {
		this.plain.withConfiguration(AutoConfigurations.of(NoopTracerAutoConfiguration.class))
			.run((context) -> assertThat(context).hasSingleBean(Tracer.class)
				.getBean(QueueObserver.class)
				.isSameAs(QueueObserver.NONE));
	}

	@Test
	void whatMakesSomethingOfObservationsMayNeedTheQueue() {
		this.traced.withUserConfiguration(Outbox.class).run((context) -> {
			assertThat(context).hasNotFailed();
			queue(context).enqueue(NewJob.of("look").queue("mail"));
			assertThat(span(context, "process mail").getParentSpanId())
				.isEqualTo(span(context, "send mail").getSpanId());
		});
	}

	@Test
	void withoutMicrometerThereIsNothing() {
		this.plain.withClassLoader(new FilteredClassLoader("io.micrometer"))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(QueueObserver.class));
		this.plain.withClassLoader(new FilteredClassLoader("io.micrometer.tracing"))
			.withPropertyValues("jobqueue.observation.enabled=true")
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(QueueObserver.class));
	}

	@Test
	void itCanBeSwitchedOffAndOn() {
		this.traced.withPropertyValues("jobqueue.observation.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean(QueueObserver.class));
		this.plain.withPropertyValues("jobqueue.observation.enabled=true")
			.withUserConfiguration(Handlers.class)
			.run((context) -> assertThat(context).hasSingleBean(QueueObserver.class));
	}

	@Test
	void anObservationThatFailsHurtsNoJob() {
		this.plain.withPropertyValues("jobqueue.observation.enabled=true")
			.withUserConfiguration(Handlers.class, Broken.class)
			.run((context) -> {
				long id = queue(context).enqueue(NewJob.of("look"));
				await(context, id, JobState.SUCCEEDED);
			});
	}

	private static JobQueue queue(ApplicationContext context) {
		return context.getBean(JobQueue.class);
	}

	private static long inRequest(ApplicationContext context, Callable<Long> call) throws Exception {
		Observation request = Observation.createNotStarted("request", context.getBean(ObservationRegistry.class));
		return request.observeChecked(call::call);
	}

	private static Map<String, String> next() throws InterruptedException {
		return seen.poll(30, TimeUnit.SECONDS);
	}

	private static Job await(ApplicationContext context, long id, JobState state) {
		JobQueue queue = queue(context);
		Awaitility.await().until(() -> queue.find(id).orElseThrow().state() == state);
		return queue.find(id).orElseThrow();
	}

	private static SpanData span(ApplicationContext context, String name) {
		Predicate<SpanData> named = (span) -> span.getName().equals(name);
		Awaitility.await().until(() -> !spans(context, named).isEmpty());
		return spans(context, named).get(0);
	}

	private static List<SpanData> spans(ApplicationContext context, Predicate<SpanData> which) {
		return context.getBean(InMemorySpanExporter.class).getFinishedSpanItems().stream().filter(which).toList();
	}

	@Configuration(proxyBeanMethods = false)
	static class Exporting {

		@Bean
		InMemorySpanExporter exporter() {
			return InMemorySpanExporter.create();
		}

		@Bean
		SimpleSpanProcessor processor(InMemorySpanExporter exporter) {
			return (SimpleSpanProcessor) SimpleSpanProcessor.create(exporter);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Handlers {

		private final ObservationRegistry registry;

		Handlers(ObservationRegistry registry) {
			this.registry = registry;
		}

		@JobHandler("look")
		void look(JobContext job) {
			see();
			Observation.createNotStarted("in handler", this.registry).observe(() -> {
			});
		}

		@JobHandler("fail")
		void fail() {
			throw new IllegalStateException("It is made to fail");
		}

		@JobHandler(value = "late", timeout = "200ms")
		void late() {
			try {
				Thread.sleep(30_000);
			}
			catch (InterruptedException ex) {
				// It thinks that it has done enough.
			}
		}

		@JobHandler(value = "chunk", batchSize = 10, batchWait = "500ms")
		void chunk(List<String> payloads) {
			see();
		}

		private static void see() {
			seen.add(MDC.getCopyOfContextMap());
		}

	}

	/**
	 * A handler of observations that has the queue.
	 */
	@Configuration(proxyBeanMethods = false)
	static class Outbox {

		@Bean
		ObservationHandler<Observation.Context> outbox(JobQueue queue) {
			return new ObservationHandler<>() {

				@Override
				public boolean supportsContext(Observation.Context context) {
					return queue == null;
				}

			};
		}

	}

	/**
	 * Fails wherever it is asked.
	 */
	@Configuration(proxyBeanMethods = false)
	static class Broken {

		@Bean
		ObservationHandler<Observation.Context> broken() {
			return new ObservationHandler<>() {

				@Override
				public void onStart(Observation.Context context) {
					throw new IllegalStateException("It is made to fail");
				}

				@Override
				public boolean supportsContext(Observation.Context context) {
					return context instanceof SendContext || context instanceof ProcessContext
							|| context instanceof SettleContext;
				}

			};
		}

	}

}
