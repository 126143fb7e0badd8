package io.jobqueue.spring.handler;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.jobqueue.Job;
import io.jobqueue.JobHandler;
import io.jobqueue.JobQueue;
import io.jobqueue.JobState;
import io.jobqueue.NewJob;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.annotation.JsonDeserialize;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Payloads whose class does not say all of their type.
 */
@ExtendWith(OutputCaptureExtension.class)
class PayloadTypeTests extends HandlerTests {

	private static final List<Shape> SHAPES = List.of(new Circle(1), new Square(2));

	@Test
	void elementsKeepTheirTypeIdsWhereTheHandlerIsKnown() {
		this.runner.withUserConfiguration(OfShapes.class).run((context) -> {
			JobQueue queue = context.getBean(JobQueue.class);
			queue.enqueue("shapes", SHAPES);
			assertThat(next()).isEqualTo(SHAPES);
			queue.enqueue("box", new Box<Shape>(new Circle(3)));
			assertThat(next()).isEqualTo(new Box<Shape>(new Circle(3)));
			queue.enqueue("shape", new Square(4));
			assertThat(next()).isEqualTo(new Square(4));
		});
	}

	@Test
	void elementsKeepTheirTypeIdsWhereTheTypeIsGiven() {
		this.runner.withUserConfiguration(Shapes.class).run((context) -> {
			JobQueue queue = context.getBean(JobQueue.class);
			NewJob job = NewJob.of("elsewhere", SHAPES, new ParameterizedTypeReference<List<Shape>>() {
			});
			assertThat(queue.find(queue.enqueue(job.queue("nobodys"))).orElseThrow().payload()).contains("\"@type\"");
		});
	}

	@Test
	void elementsThatWouldLoseTheirTypeIdsAreRefused() {
		this.runner.withUserConfiguration(Shapes.class).run((context) -> {
			JobQueue queue = context.getBean(JobQueue.class);
			for (Object lost : List.of(SHAPES, Map.of("a", new Circle(1)), new Object[] { "a", new Circle(1) })) {
				assertThatIllegalArgumentException().isThrownBy(() -> queue.enqueue("elsewhere", lost))
					.withMessageContaining("Circle")
					.withMessageContaining("ParameterizedTypeReference");
			}
			// An array's class tells the type of its elements.
			queue.enqueue(NewJob.of("elsewhere", new Shape[] { new Circle(1) }).queue("nobodys"));
		});
	}

	@Test
	void whatIsNotWhatTheHandlerDeclaresIsWrittenByItsClass() {
		this.runner.withUserConfiguration(Shapes.class, OfShapes.class).run((context) -> {
			JobQueue queue = context.getBean(JobQueue.class);
			queue.enqueue("generic", Map.of("a", List.of(Map.of("article", "tea", "count", 2))));
			assertThat(next()).isEqualTo(Map.of("a", List.of(new Line("tea", 2))));
			queue.enqueue("inherited", Map.of("article", "cup", "count", 1));
			assertThat(next()).isEqualTo(new Line("cup", 1));
		});
	}

	/** Written as the interface, it would have no properties. */
	@Test
	void whatIsReadAsAnInterfaceIsWrittenByItsClass() {
		this.runner.withUserConfiguration(OfShapes.class).run((context) -> {
			JobQueue queue = context.getBean(JobQueue.class);
			queue.enqueue("event", new Placed(42, "ann"));
			assertThat(next()).isEqualTo(new Placed(42, "ann"));
		});
	}

	@Test
	void whatLosesNothingIsNotRefused() {
		this.runner.withUserConfiguration(Shapes.class).run((context) -> {
			JobQueue queue = context.getBean(JobQueue.class);
			NewJob pattern = NewJob.of("elsewhere").delay(Duration.ofHours(1));
			for (Object payload : List.of(List.of(new Deduced(1)), List.of(new Existing("a")),
					new ShapeList(new Circle(1)), List.of(new Default(1)))) {
				queue.enqueue(NewJob.of("elsewhere", payload).delay(pattern.delay()));
			}
			NewJob asMaps = NewJob.of("elsewhere", Map.<String, Object>of("a", new Circle(1)),
					new ParameterizedTypeReference<Map<String, Object>>() {
					});
			assertThat(queue.find(queue.enqueue(asMaps.delay(pattern.delay()))).orElseThrow().payload())
				.isEqualTo("{\"a\":{\"radius\":1}}");
		});
	}

	@Test
	void anApplicationWithoutAWorkerKnowsItsHandlers() {
		this.runner.withUserConfiguration(OfShapes.class)
			.withPropertyValues("jobqueue.worker.enabled=false")
			.run((context) -> {
				JobQueue queue = context.getBean(JobQueue.class);
				assertThat(queue.find(queue.enqueue("shapes", SHAPES)).orElseThrow().payload()).contains("\"@type\"");
			});
	}

	@Test
	void theTrueReasonIsTold() {
		this.runner.withUserConfiguration(OfShapes.class)
			.run((context) -> assertThatIllegalArgumentException()
				.isThrownBy(() -> context.getBean(JobQueue.class).enqueue("shapes", List.of(new Broken())))
				.withMessageContaining("broken on purpose"));
	}

	@Test
	void genericHandlersReadWhatTheirSubclassSays() {
		this.runner.withUserConfiguration(GenericHandlers.class).run((context) -> {
			JobQueue queue = context.getBean(JobQueue.class);
			queue.enqueue("of-list", SHAPES);
			assertThat(next()).isEqualTo(SHAPES);
			queue.enqueue("of-wildcard", List.of(List.of(new Circle(1))));
			assertThat(next()).isEqualTo(List.of(List.of(new Circle(1))));
			queue.enqueue("of-optional");
			assertThat(next()).isEqualTo(Optional.empty());
		});
	}

	@Test
	void aKeyOfTheDataIsNotShown() {
		this.runner.withUserConfiguration(OfShapes.class).run((context) -> {
			JobQueue queue = context.getBean(JobQueue.class);
			JdbcTemplate sql = context.getBean(JdbcTemplate.class);
			assertThat(errorOf(queue, sql, "any-setter", "{\"secret\":\"secret\"}")).contains("at [?]", "a string");
			assertThat(errorOf(queue, sql, "entry", "{\"secret\":\"secret\"}")).contains("a string");
		});
	}

	@Test
	void whatAnAnnotationExplainsIsNotNamedAtStartUp(CapturedOutput output) {
		this.runner.withUserConfiguration(Explained.class)
			.run((context) -> assertThat(output).doesNotContain("cannot be read"));
	}

	@Test
	void anOptionalPayloadMayBeMissing() {
		this.runner.withUserConfiguration(OfShapes.class).run((context) -> {
			JobQueue queue = context.getBean(JobQueue.class);
			queue.enqueue("optional");
			assertThat(next()).isEqualTo(Optional.empty());
			queue.enqueue("optional", new Line("tea", 1));
			assertThat(next()).isEqualTo(Optional.of(new Line("tea", 1)));
		});
	}

	@Test
	void theErrorSaysWhereWhatWasExpectedAndWhatWasFoundButNotTheValue(CapturedOutput output) {
		this.runner.withUserConfiguration(Shapes.class, OfShapes.class).run((context) -> {
			assertThat(errorOf(context.getBean(JobQueue.class), context.getBean(JdbcTemplate.class), "record",
					"{\"lines\":[{\"article\":\"tea\",\"count\":1},{\"article\":\"secret\",\"count\":\"secret\"}]}"))
				.contains("at lines[1].count", "expected int", "found a string");
			assertThat(errorOf(context.getBean(JobQueue.class), context.getBean(JdbcTemplate.class), "record",
					"{\"lines\":\"secret\"}"))
				.contains("at lines", "expected java.util.ArrayList", "found a string");
			assertThat(errorOf(context.getBean(JobQueue.class), context.getBean(JdbcTemplate.class), "generic",
					"{\"secret\":[{\"count\":[\"secret\"]}]}"))
				.contains("at [?][0].count", "found an array");
			assertThat(errorOf(context.getBean(JobQueue.class), context.getBean(JdbcTemplate.class), "inherited",
					"{\"article\":\"secret\"}"))
				.contains("expected int, found nothing, at count");
			assertThat(
					errorOf(context.getBean(JobQueue.class), context.getBean(JdbcTemplate.class), "inherited", "{ }"))
				.contains("expected int, found nothing, at count");
			assertThat(errorOf(context.getBean(JobQueue.class), context.getBean(JdbcTemplate.class), "shape",
					"{\"@type\":\"secret\"}"))
				.contains("type id", "Shape");
			assertThat(errorOf(context.getBean(JobQueue.class), context.getBean(JdbcTemplate.class), "shape",
					"{\"side\":\"secret\"}"))
				.contains("type id", "missing");
			assertThat(errorOf(context.getBean(JobQueue.class), context.getBean(JdbcTemplate.class), "strict",
					"{\"text\":\"secret\"}"))
				.contains("constructor", "Strict", "IllegalStateException");
			assertThat(errorOf(context.getBean(JobQueue.class), context.getBean(JdbcTemplate.class), "of-text",
					"{ \"secret\":\"secret\"}"))
				.contains("OfText", "found an object");
			assertThat(errorOf(context.getBean(JobQueue.class), context.getBean(JdbcTemplate.class), "record",
					"{\"day\":\"secret\"}"))
				.contains("at day", "java.time.LocalDate");
			assertThat(errorOf(context.getBean(JobQueue.class), context.getBean(JdbcTemplate.class), "record",
					"{\"id\":secret}"))
				.contains("not valid JSON", "line 1");
		});
		assertThat(output).as("the queue's own code explains nothing")
			.contains("becomes dead: io.jobqueue.PermanentJobException: The payload cannot be read")
			.doesNotContain("\tat io.jobqueue.");
	}

	private static String errorOf(JobQueue queue, JdbcTemplate sql, String type, String payload) {
		sql.update("INSERT INTO jobqueue_job (type, payload) VALUES (?, ?)", type, payload);
		long id = sql.queryForObject(
				"SELECT MAX(id) FROM (SELECT id FROM jobqueue_job UNION ALL " + "SELECT id FROM jobqueue_archive) t",
				Long.class);
		Job job = await(queue, id, JobState.DEAD);
		assertThat(job.lastError().orElseThrow().stackTrace()).doesNotContain("secret");
		assertThat(job.attempt()).isOne();
		assertThat(job.lastError().orElseThrow().message()).doesNotContain("secret");
		return job.lastError().orElseThrow().message();
	}

	@Test
	void aTypeThatCannotBeReadIsNamedAtStartUp(CapturedOutput output) {
		this.runner.withUserConfiguration(Unreadable.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(output).containsPattern("WARN.*sealed.*cannot be read.*Untold is abstract.*@JsonTypeInfo")
				.containsPattern("WARN.*listed.*cannot be read.*Untold is abstract")
				.containsPattern("WARN.*nested.*cannot be read.*Untold is abstract")
				.containsPattern("WARN.*closed.*cannot be read.*Closed has no constructor");
		});
	}

	@Test
	void aTypeThatCanBeReadIsNotNamed(CapturedOutput output) {
		this.runner.withUserConfiguration(Shapes.class, OfShapes.class)
			.run((context) -> assertThat(output).doesNotContain("cannot be read"));
	}

	@Test
	void aTypeVariableThatNobodyKnowsFailsTheStart() {
		this.runner.withUserConfiguration(Nobodys.class)
			.run((context) -> assertThat(context).hasFailed()
				.getFailure()
				.hasMessageContaining("its payload has the type java.util.List<T>")
				.hasMessageContaining("subclass"));
	}

	@JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
	@JsonSubTypes({ @JsonSubTypes.Type(value = Circle.class, name = "circle"),
			@JsonSubTypes.Type(value = Square.class, name = "square") })
	interface Shape {

	}

	@JsonDeserialize(as = Placed.class)
	interface Event {

	}

	record Placed(long orderId, String customer) implements Event {
	}

	@JsonTypeInfo(use = JsonTypeInfo.Id.DEDUCTION)
	record Deduced(int number) {
	}

	@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, include = JsonTypeInfo.As.EXISTING_PROPERTY, property = "kind")
	record Existing(String kind) {
	}

	@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, defaultImpl = Default.class)
	record Default(int number) {
	}

	static class ShapeList extends ArrayList<Shape> {

		ShapeList(Shape shape) {
			add(shape);
		}

	}

	record Broken() implements Shape {

		@JsonProperty
		int radius() {
			throw new IllegalStateException("broken on purpose");
		}

	}

	static class Settings {

		@JsonAnySetter
		private final Map<String, Integer> values = new HashMap<>();

		@JsonAnyGetter
		Map<String, Integer> values() {
			return this.values;
		}

	}

	record Circle(int radius) implements Shape {
	}

	record Square(int side) implements Shape {
	}

	record Box<T>(T content) {
	}

	static class OfText {

		OfText(String text) {
		}

		OfText(String text, int number) {
		}

	}

	record Strict(String text) {

		Strict {
			if (text != null) {
				throw new IllegalStateException("not " + text);
			}
		}

	}

	sealed interface Untold {

	}

	record Told(int number) implements Untold {
	}

	record Holder(String name, List<Untold> all) {
	}

	record Annotated(@JsonTypeInfo(use = JsonTypeInfo.Id.NAME) @JsonSubTypes(@JsonSubTypes.Type(Told.class)) Untold one,
			@JsonIgnore Untold other) {
	}

	@Configuration(proxyBeanMethods = false)
	static class Explained {

		@JobHandler("annotated")
		void annotated(Annotated payload) {
		}

	}

	abstract static class GenericOf<T> {

		void add(T payload) {
			received.add(payload);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class GenericHandlers {

		@Bean
		OfList ofList() {
			return new OfList();
		}

		@Bean
		OfWildcard ofWildcard() {
			return new OfWildcard();
		}

		@Bean
		OfOptional ofOptional() {
			return new OfOptional();
		}

	}

	static class OfListBase<T> extends GenericOf<List<T>> {

		@JobHandler("of-list")
		@Override
		void add(List<T> payload) {
			super.add(payload);
		}

	}

	static class OfList extends OfListBase<Shape> {

	}

	static class OfWildcardBase<T> {

		@JobHandler("of-wildcard")
		void handle(List<? extends T> payload) {
			received.add(payload);
		}

	}

	static class OfWildcard extends OfWildcardBase<List<Shape>> {

	}

	static class OfOptionalBase<T> {

		@JobHandler("of-optional")
		void handle(T payload) {
			received.add(payload);
		}

	}

	static class OfOptional extends OfOptionalBase<Optional<Line>> {

	}

	static class Closed {

		private final int one;

		Closed(int one, int two) {
			this.one = one + two;
		}

		int one() {
			return this.one;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OfShapes {

		@JobHandler("shapes")
		void shapes(List<Shape> shapes) {
			received.add(shapes);
		}

		@JobHandler("of-text")
		void ofText(OfText text) {
			received.add(text);
		}

		@JobHandler("box")
		void box(Box<Shape> box) {
			received.add(box);
		}

		@JobHandler("shape")
		void shape(Shape shape) {
			received.add(shape);
		}

		@JobHandler("event")
		void event(Event event) {
			received.add(event);
		}

		@JobHandler("any-setter")
		void anySetter(Settings settings) {
			received.add(settings);
		}

		@JobHandler("entry")
		void entry(Map.Entry<String, Integer> entry) {
			received.add(entry);
		}

		@JobHandler("strict")
		void strict(Strict strict) {
			received.add(strict);
		}

		@JobHandler("optional")
		void optional(Optional<Line> line) {
			received.add(line);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Unreadable {

		@JobHandler("sealed")
		void sealed(Untold payload) {
		}

		@JobHandler("listed")
		void listed(List<Untold> payload) {
		}

		@JobHandler("nested")
		void nested(Holder payload) {
		}

		@JobHandler("closed")
		void closed(Closed payload) {
		}

	}

	static class Generic<T> {

		@JobHandler("nobodys")
		void handle(List<T> payload) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Nobodys {

		@Bean
		Generic<?> bean() {
			return new Generic<>();
		}

	}

}
