package io.jobqueue.processor;

import java.util.List;
import java.util.stream.Stream;

/**
 * Each mistake that start-up refuses and that one class shows, once.
 */
final class Refusals {

	private static final String IMPORTS = """
			package app;

			import java.util.*;
			import java.util.concurrent.*;
			import io.jobqueue.*;
			import org.springframework.scheduling.annotation.Async;
			import org.springframework.stereotype.Component;
			import org.springframework.transaction.annotation.*;
			import org.springframework.web.context.annotation.*;

			""";

	private Refusals() {
	}

	/**
	 * A class with a mistake.
	 *
	 * @param name what the mistake is, as the documents have it
	 * @param words a part of the sentence
	 * @param source the class; the place is marked by {@code /*!*}{@code /}
	 */
	record Refusal(String name, String words, String source) {

		/** The line of the mark. */
		int line() {
			return 1 + (int) this.source.substring(0, this.source.indexOf("/*!*/"))
				.chars()
				.filter((c) -> c == '\n')
				.count();
		}

		@Override
		public String toString() {
			return this.name;
		}

	}

	/** A method of a class. */
	private static Refusal method(String name, String words, String method) {
		return of(name, words, "class Bad {\n" + method + "\n}\n");
	}

	private static Refusal of(String name, String words, String type) {
		String marked = type.contains("/*!*/") ? type : type.replaceFirst("(void|Future<\\w+>) ", "/*!*/ $1 ");
		return new Refusal(name, words, IMPORTS + marked);
	}

	/** The annotation says what is wrong, so that is the place. */
	private static Refusal handler(String name, String words, String attributes) {
		return method(name, words, "/*!*/ @JobHandler(" + attributes + ")\nvoid handle() { }");
	}

	private static Refusal recurring(String name, String words, String attributes) {
		return method(name, words, "@JobHandler(\"any\")\n/*!*/ @Recurring(" + attributes + ")\nvoid handle() { }");
	}

	static Stream<Refusal> all() {
		return Stream.of(methods(), parameters(), settings(), schedules()).flatMap(List::stream);
	}

	private static List<Refusal> methods() {
		return List.of(method("private method", "is private", "@JobHandler(\"any\") private void handle() { }"),
				method("returns a future", "is asynchronous",
						"@JobHandler(\"any\") Future<String> handle() { return null; }"),
				method("returns a publisher", "is asynchronous",
						"@JobHandler(\"any\") /*!*/ Flow.Publisher<String> handle() { return null; }"),
				method("`@Async` method", "is asynchronous", "@Async @JobHandler(\"any\") void handle() { }"),
				of("`@Async` class", "is asynchronous", """
						@Async class Bad {
							@JobHandler("any") void handle() { }
						}
						"""), of("`@Async` base class or interface", "is asynchronous", """
						class Bad extends Base {
							@JobHandler("any") void handle() { }
						}

						@Async abstract class Base { }
						"""), of("overrides an `@Async` method", "is asynchronous", """
						class Bad implements Base {
							@JobHandler("any") public void handle() { }
						}

						interface Base {
							@Async void handle();
						}
						"""), of("bean of a request or session", "belongs to a bean of scope 'request'", """
						@Component @RequestScope class Bad {
							@JobHandler("any") void handle() { }
						}
						"""), method("leaves its transaction", "leaves that transaction", """
						@Transactional(propagation = Propagation.REQUIRES_NEW)
						@JobHandler(value = "any", transactional = true)
						void handle() { }"""), of("class leaves its transaction", "leaves that transaction", """
						@Transactional(propagation = Propagation.NEVER) class Bad {
							@JobHandler(value = "any", transactional = true) public void handle() { }
						}
						"""), method("two handlers of a type", "Two methods are handlers of the job type 'any'", """
						@JobHandler("any") void handle() { }
						@JobHandler("any") /*!*/ void again() { }"""), method("two handlers of a type's dead jobs",
						"Two methods are handlers of the job type 'jobqueue.dead.any'", """
								@DeadJobHandler("any") void handle() { }
								@DeadJobHandler("any") /*!*/ void again() { }"""));
	}

	private static List<Refusal> parameters() {
		return List.of(
				method("two payloads", "has too many parameters",
						"@JobHandler(\"any\") void handle(String one, String other) { }"),
				method("`Job` in a `@JobHandler`", "only the method of a @DeadJobHandler can have",
						"@JobHandler(\"any\") void handle(Job job) { }"),
				method("parameter of the web", "which no payload can be",
						"@JobHandler(\"any\")\nvoid handle(/*!*/ jakarta.servlet.http.HttpServletRequest request) { }"),
				method("database connection", "which no payload can be",
						"@JobHandler(\"any\")\nvoid handle(/*!*/ java.sql.Connection connection) { }"),
				method("type variable of the method", "does not say which type that is",
						"@JobHandler(\"any\") <T> /*!*/ void handle(List<T> payload) { }"),
				of("type variable of a final class", "does not say which type that is", """
						final class Bad<T> {
							@JobHandler("any") void handle(T payload) { }
						}
						"""),
				method("batch handler without a list", "its only parameter must be a List",
						"@JobHandler(value = \"any\", batchSize = 5)\nvoid handle(String payload) { }"),
				method("list of nothing in particular", "it does not say what payloads are in its List", """
						@SuppressWarnings("rawtypes") @JobHandler(value = "any", batchSize = 5)
						void handle(List payload) { }"""),
				method("`JobBatch` without `batchSize`", "has a parameter of type JobBatch, but its batchSize is 1",
						"@JobHandler(\"any\") void handle(JobBatch<String> batch) { }"),
				method("`batchWait` without `batchSize`", "has a batchWait, but its batchSize is 1",
						"@JobHandler(value = \"any\", batchWait = \"1s\") void handle(String payload) { }"));
	}

	private static List<Refusal> settings() {
		return List.of(
				handler("job type", "type must match [A-Za-z0-9._-]{1,64}, but is 'not a type'", "\"not a type\""),
				handler("reserved job type", "types that begin with jobqueue. are the job queue's own",
						"\"jobqueue.mine\""),
				method("long job type of dead jobs", "has more than 50 characters",
						"/*!*/ @DeadJobHandler(\"" + "a".repeat(51) + "\")\nvoid handle() { }"),
				handler("`maxAttempts`", "maxAttempts must not be negative", "value = \"any\", maxAttempts = -1"),
				handler("`timeout`", "timeout must be a duration as 30s, 5m or 1h, but is 'two minutes'",
						"value = \"any\", timeout = \"two minutes\""),
				handler("negative `timeout`", "timeout must not be negative", "value = \"any\", timeout = \"-5s\""),
				handler("backoff `delay` above `maxDelay`",
						"backoff delay must be at most maxDelay, but is 2h, and that is 1h",
						"value = \"any\", backoff = @Backoff(delay = \"2h\", maxDelay = \"1h\")"),
				handler("backoff `multiplier`", "backoff multiplier must be at least 1",
						"value = \"any\", backoff = @Backoff(multiplier = 0.5)"),
				handler("backoff `jitter`", "backoff jitter must be from 0 to 1",
						"value = \"any\", backoff = @Backoff(jitter = 2)"),
				method("`batchSize`", "batchSize must be at least 1",
						"/*!*/ @JobHandler(value = \"any\", batchSize = 0)\nvoid handle(List<String> payload) { }"),
				method("`batchWait`", "batchWait must be from 0 to 1s", """
						/*!*/ @JobHandler(value = "any", batchSize = 5, batchWait = "2s")
						void handle(List<String> payload) { }"""),
				method("batch handler that recurs", "which is neither @Recurring nor @DeadJobHandler", """
						@JobHandler(value = "any", batchSize = 5) @Recurring(every = "1m")
						void handle(List<String> payload) { }"""),
				method("dead-job handler that recurs", "is both @DeadJobHandler and @Recurring",
						"@DeadJobHandler(\"any\") @Recurring(every = \"1m\") void handle() { }"),
				method("`@JobHandler` and `@DeadJobHandler`", "is both @JobHandler and @DeadJobHandler",
						"@JobHandler(\"any\") @DeadJobHandler(\"other\") void handle() { }"));
	}

	private static List<Refusal> schedules() {
		return List.of(
				method("`@Recurring` without `@JobHandler`", "is @Recurring, but no @JobHandler",
						"@Recurring(every = \"1m\") void handle() { }"),
				method("`@Recurring` with a payload", "is @Recurring, so its jobs have no payload",
						"@JobHandler(\"any\") @Recurring(every = \"1m\") void handle(String payload) { }"),
				recurring("neither `cron` nor `every`", "needs either cron or every, but has neither", ""),
				recurring("both `cron` and `every`", "but has both: cron @daily and every 1m",
						"cron = \"@daily\", every = \"1m\""),
				recurring("`cron`", "cron '0 0 25 * * *' is not valid", "cron = \"0 0 25 * * *\""),
				recurring("`cron` that never fires", "never fires", "cron = \"0 0 0 30 2 *\""),
				recurring("`every`", "every must be a duration as 30s, 5m or 1h, but is 'often'", "every = \"often\""),
				recurring("short `every`", "every must be from 1s to", "every = \"10ms\""),
				recurring("`zone`", "zone 'Europe/Bremen' does not exist",
						"cron = \"@daily\", zone = \"Europe/Bremen\""),
				recurring("`catchUp` against `overlap`", "catchUp ALL and overlap SKIP, which contradict each other",
						"cron = \"@daily\", catchUp = CatchUp.ALL"),
				recurring("`catchUpLimit`", "the limit of catchUp ALL must be from 1 to 1000",
						"cron = \"@daily\", catchUp = CatchUp.ALL, catchUpLimit = 0, overlap = Overlap.ALLOW"),
				recurring("`jitter` of a schedule", "jitter must be a duration",
						"cron = \"@daily\", jitter = \"some\""),
				recurring("`name` of a schedule", "name must match", "cron = \"@daily\", name = \"at night\""),
				recurring("`queue` of a schedule", "queue must match", "cron = \"@daily\", queue = \"slow ones\""));
	}

}
