package io.jobqueue.processor;

import java.io.File;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

import io.jobqueue.NewJob;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The factories: what they are called, who sees them, and which jobs they make.
 */
class FactoryTests {

	@TempDir
	Path folder;

	@Test
	void aFactoryMakesTheJobsOfEachHandler() throws Exception {
		Compilation compilation = new Compilation(this.folder)
			.source("""
					package app;

					import java.util.List;
					import java.util.Map;
					import java.util.Optional;
					import io.jobqueue.*;

					class Receipts {

						public record OrderPlaced(long order) { }

						@JobHandler("send-receipt") void send(OrderPlaced placed, JobContext context) { }

						@JobHandler("tidy.up") void tidyUp() { }

						@JobHandler("count") void count(int number) { }

						@JobHandler("lines") void lines(Map<String, List<OrderPlaced>> lines) { }

						@JobHandler("maybe") void maybe(Optional<OrderPlaced> placed) { }

						@JobHandler(value = "index", batchSize = 50) void index(List<OrderPlaced> placed) { }

						@JobHandler(value = "index-some", batchSize = 50) void indexSome(JobBatch<? extends OrderPlaced> placed) { }

						@JobHandler("nightly") @Recurring(cron = "@daily") void nightly() { }

						@JobHandler("words") void words(String... words) { }

						@DeadJobHandler("count") void dead(Job job) { }

					}
					""")
			.source("""
					package app;

					import java.util.List;
					import java.util.Map;
					import io.jobqueue.NewJob;

					public class Uses {

						public static List<NewJob> jobs() {
							Receipts.OrderPlaced placed = new Receipts.OrderPlaced(7);
							return List.of(ReceiptsJobs.sendReceipt(placed), ReceiptsJobs.tidyUp().priority(9),
									ReceiptsJobs.count(3), ReceiptsJobs.lines(Map.of("a", List.of(placed))),
									ReceiptsJobs.maybe(), ReceiptsJobs.maybe(placed), ReceiptsJobs.index(placed),
									ReceiptsJobs.indexSome(placed), ReceiptsJobs.nightly(),
									ReceiptsJobs.words(new String[] { "a" }));
						}

					}
					""")
			.options("-Werror");
		Javac.Result result = compilation.run(Javac.OWN);
		assertThat(result.said()).isEmpty();
		List<NewJob> jobs = jobs(compilation);
		assertThat(jobs).extracting(NewJob::type)
			.containsExactly("send-receipt", "tidy.up", "count", "lines", "maybe", "maybe", "index", "index-some",
					"nightly", "words");
		assertThat(jobs).extracting((job) -> (job.payload() != null) ? job.payload().getClass().getSimpleName() : "")
			.containsExactly("OrderPlaced", "", "Integer", "Map1", "", "OrderPlaced", "OrderPlaced", "OrderPlaced", "",
					"String[]");
		// What its class does not tell is told.
		assertThat(jobs).filteredOn((job) -> job.payloadType() != null)
			.singleElement()
			.extracting(NewJob::payloadType)
			.isInstanceOf(ParameterizedType.class)
			.hasToString("java.util.Map<java.lang.String, java.util.List<app.Receipts$OrderPlaced>>");
		assertThat(compilation.generated()).containsExactly("app/ReceiptsJobs.java");
		assertThat(compilation.generated("app.ReceiptsJobs").split("@return the new job")).hasSize(jobs.size() + 1);
	}

	@SuppressWarnings("unchecked")
	private static List<NewJob> jobs(Compilation compilation) throws Exception {
		return (List<NewJob>) compilation.loader().loadClass("app.Uses").getMethod("jobs").invoke(null);
	}

	@Test
	void aMethodIsAsVisibleAsItsPayload() throws Exception {
		Compilation compilation = new Compilation(this.folder).source("""
				package app;

				import java.util.List;
				import io.jobqueue.*;

				class Mixed {

					public record Open() { }

					record Own() { }

					private record Hidden() { }

					@JobHandler("open") void open(Open payload) { }

					@JobHandler("own") void own(Own payload) { }

					@JobHandler("own-list") void ownList(List<Own> payload) { }

					@JobHandler("hidden") void hidden(Hidden payload) { }

					@JobHandler("none") void none() { }

				}
				""").source("""
				package app;

				import io.jobqueue.*;

				public class Closed {

					@JobHandler("closed") void closed(Mixed.Own payload) { }

				}
				""");
		Javac.Result result = compilation.run(Javac.OWN);
		assertThat(result.succeeded()).as(result.said()).isTrue();
		assertThat(result.said()).contains("Mixed.java:").contains("No factory makes jobs of the type 'hidden'");
		// Mixed.Open is public in a class that is not.
		assertThat(visible(compilation, "app.MixedJobs")).containsExactly("none public", "open package", "own package",
				"ownList package");
		assertThat(visible(compilation, "app.ClosedJobs")).containsExactly("closed package");
		assertThat(Modifier.isPublic(compilation.loader().loadClass("app.MixedJobs").getModifiers())).isTrue();
		assertThat(Modifier.isPublic(compilation.loader().loadClass("app.ClosedJobs").getModifiers())).isFalse();
	}

	private static List<String> visible(Compilation compilation, String factory) throws Exception {
		return Arrays.stream(compilation.loader().loadClass(factory).getDeclaredMethods())
			.map((method) -> method.getName() + (Modifier.isPublic(method.getModifiers()) ? " public" : " package"))
			.sorted()
			.toList();
	}

	@Test
	void whatIsNoNameOfAMethodIsCalledAsTheHandler() throws Exception {
		Compilation compilation = new Compilation(this.folder).source("""
				package app;

				import io.jobqueue.*;

				class Names {

					@JobHandler("new") void create() { }

					@JobHandler("7-days") void week() { }

					@JobHandler("notify") void tell() { }

					@JobHandler("a.b") void one() { }

					@JobHandler("a-b") void two() { }

					@JobHandler("${shop.type}") void ofProperty(String payload) { }

					@JobHandler("URL-check") void urls() { }

					@JobHandler("SendMail_now") void mail() { }

				}
				""");
		Javac.Result result = compilation.run(Javac.OWN);
		assertThat(result.said()).isEmpty();
		Class<?> factory = compilation.loader().loadClass("app.NamesJobs");
		assertThat(Arrays.stream(factory.getDeclaredMethods())
			.collect(Collectors.toMap(Method::getName, Method::getParameterCount)))
			.containsOnlyKeys("create", "week", "tell", "one", "two", "ofProperty", "uRLCheck", "sendMailNow")
			.containsEntry("ofProperty", 2);
		Method ofProperty = factory.getDeclaredMethod("ofProperty", String.class, String.class);
		assertThat(((NewJob) ofProperty.invoke(null, "mine", "a")).type()).isEqualTo("mine");
	}

	@Test
	void aMethodThatCannotBeNamedIsRefused() throws Exception {
		Javac.Result result = new Compilation(this.folder).source("""
				package app;

				import io.jobqueue.*;

				class Names {

					@JobHandler("new") void send() { }

					@JobHandler("send") void other() { }

				}
				""").run(Javac.OWN);
		assertThat(result.errors()).hasSize(2)
			.allMatch((error) -> error.contains("give no name for a method of NamesJobs"));
	}

	@Test
	void theFactoryOfANestedClassHasTheNamesOfAll() throws Exception {
		Compilation compilation = new Compilation(this.folder).source("""
				package app;

				import io.jobqueue.*;

				class Outer {

					static class Inner {

						@JobHandler("inner") void inner() { }

					}

					@JobHandler("outer") void outer() { }

				}
				""");
		assertThat(compilation.run(Javac.OWN).said()).isEmpty();
		assertThat(compilation.generated()).containsExactly("app/OuterJobs.java", "app/Outer_InnerJobs.java");
		assertThat(compilation.resources()).containsExactly("META-INF/jobqueue/app.Outer$Inner.handlers",
				"META-INF/jobqueue/app.Outer.handlers");
	}

	@Test
	void aClassOfTheFactorysNameIsNotOverwritten() throws Exception {
		String handlers = """
				package app;

				import io.jobqueue.*;

				class Mail {

					@JobHandler("mail") void send() { }

				}
				""";
		String other = """
				package app;

				class MailJobs { }
				""";
		Javac.Result result = new Compilation(this.folder).source(handlers).source(other).run(Javac.OWN);
		assertThat(result.errors()).singleElement().asString().contains("would be MailJobs, and there is such a class");
		Compilation without = new Compilation(this.folder).source(handlers)
			.source(other)
			.options("-Ajobqueue.factories=false");
		assertThat(without.run(Javac.OWN).said()).isEmpty();
		assertThat(without.resources()).hasSize(1);
	}

	/** An incremental build has the factory of the last one on its class path. */
	@Test
	void theFactoryOfTheLastBuildIsReplaced() throws Exception {
		Compilation compilation = new Compilation(this.folder).source("""
				package app;

				import io.jobqueue.*;

				class Mail {

					@JobHandler("mail") void send() { }

				}
				""");
		assertThat(compilation.run(Javac.OWN).said()).isEmpty();
		assertThat(compilation
			.options("-classpath", Compilation.classPathWithout() + File.pathSeparator + this.folder.resolve("classes"))
			.run(Javac.OWN)
			.succeeded()).isTrue();
	}

	@Test
	void aBaseClassWhoseSubclassesSayThePayloadHasNoFactory() throws Exception {
		Compilation compilation = new Compilation(this.folder).source("""
				package app;

				import java.util.List;
				import io.jobqueue.*;

				abstract class Base<T> {

					@JobHandler("base") void handle(List<T> payload) { }

				}
				""").source("""
				package app;

				class OfText extends Base<String> { }
				""");
		assertThat(compilation.run(Javac.OWN).said()).isEmpty();
		assertThat(compilation.generated()).isEmpty();
		assertThat(compilation.resources()).containsExactly("META-INF/jobqueue/app.Base.handlers");
	}

	@Test
	void theHandlersAreListed() throws Exception {
		Compilation compilation = new Compilation(this.folder).source("""
				import io.jobqueue.*;

				class InNoPackage {

					@JobHandler("a") void one(String payload, JobContext context) { }

					@JobHandler("${b}") void two() { }

					@DeadJobHandler("*") void three() { }

				}
				""");
		assertThat(compilation.run(Javac.OWN).said()).isEmpty();
		assertThat(compilation.resource("META-INF/jobqueue/InNoPackage.handlers")).isEqualTo("""
				job\ta\tone(java.lang.String,io.jobqueue.JobContext)
				job\t${b}\ttwo()
				dead\t*\tthree()
				""");
		assertThat(compilation.generated("InNoPackageJobs")).contains("public final class InNoPackageJobs");
	}

}
