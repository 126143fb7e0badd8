package io.jobqueue.processor;

import java.nio.file.Path;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What start-up may allow, the compiler must not refuse, nor warn of.
 */
class AllowedTests {

	private static final String IMPORTS = """
			package app;

			import java.util.*;
			import io.jobqueue.*;
			import org.springframework.scheduling.annotation.Async;
			import org.springframework.stereotype.Component;
			import org.springframework.transaction.annotation.*;
			import org.springframework.web.context.annotation.*;

			""";

	@TempDir
	Path folder;

	static Stream<String> sources() {
		return Stream.of("""
				// The method that makes the bean says its scope.
				@RequestScope class Good {
					@JobHandler("any") void handle() { }
				}
				""", """
				class Good {
					@Transactional(transactionManager = "other", propagation = Propagation.REQUIRES_NEW)
					@JobHandler(value = "any", transactional = true) void handle() { }

					@Transactional(propagation = Propagation.REQUIRES_NEW)
					@JobHandler("plain") void plain() { }

					@Transactional
					@JobHandler(value = "takes-part", transactional = true) void takesPart() { }
				}
				""", """
				class Good {
					@Async void other() { }

					@JobHandler("any") int handle(JobContext context, String payload) { return 1; }
				}
				""", """
				class Good<T extends Good.Mail> {
					static class Mail { }

					@JobHandler("any") void handle(List<? extends T> payload) { }

					@JobHandler(value = "batch", batchSize = 5) void handle(JobBatch<T> batch) { }
				}
				""", """
				class Good {
					@JobHandler("mine") @interface Mine { }

					@Mine @Recurring(every = "1m") void handle() { }
				}
				""", """
				interface Good {
					@JobHandler("any") void handle(String payload);

					@JobHandler("recurring") @Recurring(cron = "-") default void recurring(Optional<String> payload) { }
				}
				""", """
				class Good {
					@JobHandler("any") void any() { }

					@DeadJobHandler("any") void dead(Job job, JobContext context, Optional<String> payload) { }

					@DeadJobHandler("*") void all(Job job) { }

					@JobHandler("${any}") void one() { }

					@JobHandler("${any}-too") void other() { }
				}
				""",
				"""
						class Good {
							@JobHandler("recursive") <T extends Comparable<T>> void recursive(T payload) { }

							@JobHandler("bound") <U, T extends List<U>> void bound(T payload) { }

							@JobHandler("enums") <T extends Enum<T>> void enums(EnumSet<T> payload) { }

									@JobHandler(value = "lists", batchSize = 5) <T extends List<String>> void lists(T payload) { }
						}
						""",
				"""
						// A subclass says what the parameters are.
						abstract class Good<L, P, Q, R extends java.security.Principal> {
							@JobHandler(value = "chunk", batchSize = 5) void chunk(L payloads) { }

							@JobHandler("often") @Recurring(every = "1m") void often(P context) { }

							@JobHandler("both") void both(P payload, Q context) { }

							@JobHandler("principal") void principal(R payload) { }
						}
						""", """
						interface Good {
							@JobHandler("often") void run();
						}

						class Often implements Good {
							@Override @Recurring(every = "1m") public void run() { }
						}
						""", """
						// A subclass may say otherwise.
						@Component @RequestScope abstract class Good {
							@JobHandler("any") void one() { }

							@JobHandler("any") void other() { }

							@Transactional(propagation = Propagation.REQUIRES_NEW)
							@JobHandler(value = "transactional", transactional = true) void transactional() { }
						}
						""",
				"""
						class Good {
							@JobHandler(value = "waits", batchWait = "${wait:0}") void waits(String payload) { }

							@JobHandler("never") @Recurring(cron = "${cron}", zone = "Nowhere", jitter = "some") void never() { }
						}
						""",
				"""
						class Good<T> {
							class Item { public T text; }

							static class Own { private record Hidden() { } class In<X> { } }

							@SuppressWarnings("jobqueue") @JobHandler("item") void item(Item payload) { }
						}
						""", """
						class Good {
							record Hook(tools.jackson.databind.JsonNode body, org.w3c.dom.Document document) { }

							@JobHandler("node") void node(tools.jackson.databind.node.ObjectNode payload) { }

							@JobHandler("hook") void hook(Hook payload) { }

							@JobHandler("time") void time(javax.xml.datatype.XMLGregorianCalendar payload) { }
						}
						""",
				"""
						class Good {
							static final String TYPE = "a" + ".b";

							@JobHandler(value = TYPE, timeout = "PT5M", batchSize = 1, backoff = @Backoff(delay = "2h")) void any() { }

							@JobHandler(value = "ms", timeout = "1500", noRetryFor = { IllegalStateException.class }) void millis() { }

							@JobHandler("nightly")
							@Recurring(cron = "@daily", zone = "Europe/Berlin", catchUp = CatchUp.ALL, catchUpLimit = 3,
									overlap = Overlap.ALLOW, jitter = "30s", name = "at.night", queue = "slow")
							void nightly() { }
						}
						""");
	}

	@ParameterizedTest
	@MethodSource("sources")
	void nothingIsSaid(String source) throws Exception {
		Compilation compilation = new Compilation(this.folder).source(IMPORTS + source).options("-Werror");
		assertThat(compilation.run(Javac.OWN).said()).isEmpty();
	}

	/**
	 * The compiler says what is wrong; the processor has nothing to add, and does not
	 * fail.
	 */
	@ParameterizedTest
	@MethodSource("broken")
	void whatTheCompilerRefusesIsItsOwn(String source) throws Exception {
		Javac.Result result = new Compilation(this.folder).source(IMPORTS + source).run(Javac.OWN);
		assertThat(result.succeeded()).isFalse();
		assertThat(result.said()).doesNotContain("job handler").doesNotContain("Exception");
	}

	static Stream<String> broken() {
		return Stream.of("class Bad { @JobHandler void handle() { } }",
				"class Bad { @JobHandler(value = UNKNOWN) void handle() { } }",
				"class Bad { @JobHandler(value = \"any\", maxAttempts = \"three\") void handle() { } }",
				"class Bad { @JobHandler(value = \"any\", onDead = OnDead.EXPLODE) void handle() { } }",
				"class Bad { @JobHandler(\"any\") void handle(Missing payload) { } }",
				"class Bad { @JobHandler(\"any\") void handle(List<Missing<String>> payload) { } }",
				"class Bad { @JobHandler(value = \"any\", noRetryFor = Missing.class) void handle() { } }",
				"class Bad extends Missing { @JobHandler(\"any\") void handle() { } }",
				"class Bad { @JobHandler(\"any\") @Recurring(catchUp = 3) void handle() { } }",
				"class Bad { @SuppressWarnings(MISSING) @JobHandler(\"any\") void handle() { } }",
				"class Bad { @JobHandler(value = \"any\", backoff = @Backoff(delay = Missing.DELAY)) void handle() { } }");
	}

	@Test
	void aFactoryInAModuleSaysNothingThatTheHandlersDidNot() throws Exception {
		Compilation compilation = new Compilation(this.folder).source("""
				package app;

				import io.jobqueue.JobHandler;

				class Handles {
					public record Payload(String text) { }

					@JobHandler("any") void any(Payload payload) { }

					@JobHandler("none") void none() { }
				}
				""").options("--add-reads", "app=ALL-UNNAMED", "-Werror");
		compilation.file("module-info.java", "module app { exports app; }\n");
		assertThat(compilation.run(Javac.OWN).said()).isEmpty();
		assertThat(compilation.generated("app.HandlesJobs")).contains("public final class");
	}

}
