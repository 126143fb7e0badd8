package io.jobqueue.processor;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;

import io.jobqueue.processor.Refusals.Refusal;
import io.jobqueue.retry.BackoffPolicy;
import io.jobqueue.rule.HandlerDefaults;
import io.jobqueue.spring.handler.DeclaredSchedules;
import io.jobqueue.spring.handler.InvalidJobHandlerException;
import io.jobqueue.spring.handler.JobHandlerFinder;
import io.jobqueue.spring.payload.JacksonPayloads;
import io.jobqueue.worker.Handlers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * What start-up refuses and one class shows, the compiler refuses with the same words.
 */
class RefusalTests {

	@TempDir
	Path folder;

	@ParameterizedTest
	@MethodSource("io.jobqueue.processor.Refusals#all")
	void theCompilerSaysWhatStartUpSays(Refusal refusal) throws Exception {
		Compilation compilation = new Compilation(this.folder).source(refusal.source());
		Javac.Result refused = compilation.run(Javac.OWN);
		assertThat(refused.succeeded()).as(refused.said()).isFalse();
		assertThat(refused.errors()).as(refused.said()).hasSize(1);
		String error = refused.errors().get(0);
		assertThat(error).startsWith("Bad.java:" + refusal.line() + ": ").contains(refusal.words());

		assertThat(compilation.processors().run(Javac.OWN).succeeded()).isTrue();
		InvalidJobHandlerException atStart = failureOf(compilation.loader().loadClass("app.Bad"));
		assertThat(sentence(error)).isEqualTo(sentence(atStart));
	}

	/** Without the place and the subject. */
	private static String sentence(String error) {
		return error.replaceFirst("^Bad.java:\\d+: ", "")
			.replaceFirst("^This (job handler|method) ", "")
			.replaceFirst(": [^:]*\\(\\) and [^:]*\\(\\)\\.", ".");
	}

	private static String sentence(InvalidJobHandlerException atStart) {
		return atStart.getMessage()
			.replaceFirst("^The (job handler|method) .* of bean 'bad' ", "")
			.replaceFirst(": .* \\(bean 'bad'\\)$", "") + ". "
				+ atStart.action().replace(" If the bean exists twice, let only one of the two be a bean.", "");
	}

	private static InvalidJobHandlerException failureOf(Class<?> type) {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			context.setClassLoader(type.getClassLoader());
			context.registerBean("bad", type);
			context.refresh();
			JobHandlerFinder finder = new JobHandlerFinder(context.getBeanFactory(),
					new JacksonPayloads(JsonMapper.shared()),
					new HandlerDefaults(10, BackoffPolicy.DEFAULT, Duration.ofHours(1), Set.of()), new Handlers(),
					new DeclaredSchedules());
			return catchThrowableOfType(InvalidJobHandlerException.class, finder::afterSingletonsInstantiated);
		}
	}

	/** A property may become anything. */
	@Test
	void whatAPropertySaysIsLeftToStartUp() throws Exception {
		Javac.Result result = new Compilation(this.folder).source("""
				package app;

				import io.jobqueue.*;

				class Jobs {

					@JobHandler(value = "${a.type}", timeout = "${a.timeout}", limit = "${a.limit}", maxAttempts = 3,
							backoff = @Backoff(delay = "${a.delay}", maxDelay = "1ms"))
					@Recurring(cron = "${a.cron}", zone = "${a.zone}", name = "${a.name}", queue = "#{queues.slow}",
							jitter = "${a.jitter}")
					void one() { }

					@JobHandler("two") @Recurring(cron = "${a.cron:}", every = "${an.interval:10m}")
					void two() { }

					@JobHandler("three") @Recurring(every = "${an.interval}", zone = "Europe/Berlin")
					void three() { }

					@DeadJobHandler("${a.type}") void dead() { }

					@DeadJobHandler("*") void all(Job job) { }

					@JobHandler(value = "four", limit = "a-limit-of-the-properties") void four(String payload) { }

				}
				""").run(Javac.OWN);
		assertThat(result.said()).isEmpty();
	}

	/**
	 * What is wrong beside a property is still told, and more than one mistake at once.
	 */
	@Test
	void allMistakesAreToldAtOnce() throws Exception {
		Javac.Result result = new Compilation(this.folder).source("""
				package app;

				import io.jobqueue.*;

				class Bad {

					@JobHandler(value = "not a type", timeout = "two minutes")
					@Recurring(cron = "@daily", zone = "nowhere")
					private void one(String payload) { }

				}
				""").run(Javac.OWN);
		List<String> parts = List.of("'not a type'", "'two minutes'", "'nowhere'", "is private", "have no payload");
		assertThat(result.errors()).hasSameSizeAs(parts);
		for (String part : parts) {
			assertThat(result.errors()).anyMatch((error) -> error.contains(part));
		}
	}

	/** As reflection has it, the first bound counts. */
	@ParameterizedTest
	@ValueSource(strings = { "<T extends Object & Comparable<T>>",
			"<T extends @org.jspecify.annotations.Nullable Object>", "<U, T extends U>" })
	void aVariableOfWhichNothingIsKnownIsRefused(String variable) throws Exception {
		Javac.Result result = new Compilation(this.folder).source("""
				package app;

				class Bad {

					@io.jobqueue.JobHandler("any") %s void handle(T payload) { }

				}
				""".formatted(variable)).run(Javac.OWN);
		assertThat(result.errors()).singleElement().asString().contains("does not say which type that is");
	}

}
