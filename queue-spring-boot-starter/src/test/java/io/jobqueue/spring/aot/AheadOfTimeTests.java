package io.jobqueue.spring.aot;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.jobqueue.DeadJobHandler;
import io.jobqueue.Job;
import io.jobqueue.JobBatch;
import io.jobqueue.JobContext;
import io.jobqueue.JobHandler;
import io.jobqueue.JobQueue;
import io.jobqueue.NewJob;
import io.jobqueue.PermanentJobException;
import io.jobqueue.Recurring;
import io.jobqueue.Schedules;
import io.jobqueue.spring.autoconfigure.JobQueueAutoConfiguration;
import io.jobqueue.spring.autoconfigure.JobQueueSchedulesAutoConfiguration;
import io.jobqueue.spring.autoconfigure.JobQueueWorkerAutoConfiguration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.aot.AotDetector;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.test.tools.CompileWithForkedClassLoader;
import org.springframework.core.test.tools.TestCompiler;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application that was processed ahead of time: its contexts are made by the code that
 * was generated then, as in a native image, and by the JVM.
 */
@CompileWithForkedClassLoader
class AheadOfTimeTests {

	static final BlockingQueue<Object> received = new LinkedBlockingQueue<>();

	private final TestGenerationContext generation = new TestGenerationContext();

	@BeforeEach
	void begin() {
		received.clear();
		System.setProperty(AotDetector.AOT_ENABLED, "true");
	}

	@AfterEach
	void end() {
		System.clearProperty(AotDetector.AOT_ENABLED);
	}

	@Test
	void handlersSchedulesAndMigrationsWork() {
		started((context) -> {
			JobQueue queue = context.getBean(JobQueue.class);
			queue.enqueue("order", new Order(7, List.of(new Line("tea", 2))));
			assertThat(next()).isEqualTo(new Order(7, List.of(new Line("tea", 2))));
			queue.enqueue("chunk", new Line("cup", 1));
			assertThat(next()).isEqualTo(List.of(new Line("cup", 1)));
			queue.enqueue(NewJob.of("maybe"));
			assertThat(next()).isEqualTo(Optional.empty());
			queue.enqueue("post", new Line("pot", 3));
			assertThat(next()).isEqualTo("posted pot");
			queue.enqueue("dies", new Line("cup", 9));
			assertThat(next()).isEqualTo("dead dies {\"article\":\"cup\",\"count\":9}");
			assertThat(context.getBean(Schedules.class).find("nightly")).get()
				.matches((schedule) -> schedule.declared() && schedule.timing().contains("0 0 2 * * *"));
			assertThat(context.getBean(JdbcTemplate.class)
				.queryForObject("SELECT COUNT(*) FROM \"jobqueue_schema_history\" WHERE \"success\"", Integer.class))
				.isPositive();
		});
	}

	@Test
	void aNativeImageIsToldWhatItNeeds() {
		generate();
		RuntimeHints hints = this.generation.getRuntimeHints();
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Handles.class, "order")).accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Handles.class, "dead")).accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Base.class, "handle")).accepts(hints);
		for (Class<?> payload : List.of(Order.class, Line.class, OnlyInAChunk.class, OfASubclass.class, InAnArray.class,
				InAFieldsArray.class, InAField.class, Permitted.class, Named.class, Created.class)) {
			assertThat(
					RuntimeHintsPredicates.reflection().onConstructorInvocation(payload.getDeclaredConstructors()[0]))
				.as(payload.getSimpleName())
				.accepts(hints);
		}
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Line.class, "article")).accepts(hints);
		assertThat(RuntimeHintsPredicates.resource().forResource("META-INF/jobqueue/any.Jobs.handlers")).accepts(hints);
		for (String folder : List.of("mysql", "h2")) {
			assertThat(RuntimeHintsPredicates.resource()
				.forResource("io/jobqueue/schema/" + folder + "/V1__job_queue.sql")).accepts(hints);
		}
	}

	private static Object next() {
		try {
			return received.poll(30, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private String generate() {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		withProperties(context);
		context.register(Application.class, Handles.class, Concrete.class);
		String initializer = new ApplicationContextAotGenerator().processAheadOfTime(context, this.generation)
			.canonicalName();
		this.generation.writeGeneratedContent();
		return initializer;
	}

	private void started(Consumer<GenericApplicationContext> test) {
		String initializer = generate();
		TestCompiler.forSystem().with(this.generation).compile((compiled) -> {
			try (GenericApplicationContext context = new GenericApplicationContext()) {
				withProperties(context);
				instance(compiled.getClassLoader(), initializer).initialize(context);
				context.refresh();
				test.accept(context);
			}
		});
	}

	@SuppressWarnings("unchecked")
	private static ApplicationContextInitializer<GenericApplicationContext> instance(ClassLoader loader, String name) {
		try {
			return (ApplicationContextInitializer<GenericApplicationContext>) loader.loadClass(name)
				.getDeclaredConstructor()
				.newInstance();
		}
		catch (ReflectiveOperationException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static void withProperties(GenericApplicationContext context) {
		ConfigurableEnvironment environment = context.getEnvironment();
		environment.getPropertySources()
			.addFirst(new MapPropertySource("test", Map.of("spring.datasource.generate-unique-name", "true",
					"jobqueue.worker.poll-interval", "100ms", "jobqueue.retry.delay", "10ms", "my.type", "post")));
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DataSourceAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class,
			TransactionAutoConfiguration.class, JdbcTemplateAutoConfiguration.class, JacksonAutoConfiguration.class,
			JobQueueAutoConfiguration.class, JobQueueWorkerAutoConfiguration.class,
			JobQueueSchedulesAutoConfiguration.class })
	static class Application {

	}

	record Line(String article, int count) {

	}

	record Order(long number, List<Line> lines) {

	}

	record InAnArray(InAFieldsArray[] elements, Fields fields, Sealed sealed, Open open, Creator creator) {

	}

	record InAFieldsArray(String text) {

	}

	static class Fields {

		public InAField field;

	}

	record InAField(String text) {

	}

	@JsonTypeInfo(use = JsonTypeInfo.Id.SIMPLE_NAME)
	sealed interface Sealed permits Permitted {

	}

	record Permitted(String text) implements Sealed {

	}

	@JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
	@JsonSubTypes(@JsonSubTypes.Type(Named.class))
	interface Open {

	}

	record Named(String text) implements Open {

	}

	static class Creator {

		@JsonCreator
		static Creator of(Created[] created) {
			return new Creator();
		}

	}

	record Created(String text) {

	}

	record OnlyInAChunk(String text) {

	}

	record OfASubclass(String text) {

	}

	static class Handles {

		@JobHandler("order")
		void order(Order order, JobContext context) {
			received.add(order);
		}

		@JobHandler(value = "chunk", batchSize = 10)
		void chunk(List<Line> lines) {
			received.add(List.copyOf(lines));
		}

		@JobHandler(value = "chunk-only", batchSize = 10)
		void chunkOnly(JobBatch<OnlyInAChunk> batch) {
		}

		@JobHandler("maybe")
		void maybe(Optional<Line> line) {
			received.add(line);
		}

		@Transactional
		@JobHandler(value = "${my.type}", transactional = true)
		public void post(Line line) {
			received.add("posted " + line.article());
		}

		@JobHandler("dies")
		void dies(Line line) {
			throw new PermanentJobException("on purpose");
		}

		@DeadJobHandler("dies")
		void dead(Job job) {
			received.add("dead " + job.type() + " " + job.payload());
		}

		@JobHandler("many-kinds")
		void manyKinds(InAnArray[] payload) {
		}

		@Recurring(cron = "0 0 2 * * *")
		@JobHandler("nightly")
		void nightly() {
		}

	}

	abstract static class Base<T> {

		@JobHandler("of-a-subclass")
		void handle(T payload) {
		}

	}

	static class Concrete extends Base<OfASubclass> {

	}

}
