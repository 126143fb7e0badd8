package io.jobqueue.neighbour.start;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

import io.jobqueue.JobQueue;
import io.jobqueue.NewJob;
import io.jobqueue.test.JobQueueTester;
import org.jetbrains.kotlin.cli.common.ExitCode;
import org.jetbrains.kotlin.cli.jvm.K2JVMCompiler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcClientAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Handlers that are written in Kotlin.
 */
class KotlinTests {

	private static final String SOURCES = """
			package shop

			import io.jobqueue.JobContext
			import io.jobqueue.JobHandler

			data class OrderPlaced(val id: Long, val to: String = "nobody", val note: String?)

			open class Receipts {
			    val sent = mutableListOf<String>()

			    @JobHandler("send-receipt", transactional = true)
			    internal fun send(order: OrderPlaced, job: JobContext) {
			        sent += "${order.id} ${order.to} ${order.note} ${job.attempt()}"
			    }

			    @JobHandler("nothing")
			    fun nothing() {
			        sent += "nothing"
			    }
			}

			class Suspending {
			    @JobHandler("suspending")
			    suspend fun run() {
			    }
			}
			""";

	@TempDir
	Path folder;

	@Test
	void handlersInKotlinRunAndSuspendingOnesAreRefused() throws Exception {
		try (URLClassLoader kotlin = new URLClassLoader(new URL[] { compiled().toUri().toURL() },
				getClass().getClassLoader())) {
			ApplicationContextRunner application = new ApplicationContextRunner().withClassLoader(kotlin)
				.withPropertyValues("spring.datasource.url=jdbc:h2:mem:kotlin", "jobqueue.auto-startup=false")
				.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
						DataSourceTransactionManagerAutoConfiguration.class, JdbcTemplateAutoConfiguration.class,
						JdbcClientAutoConfiguration.class, JacksonAutoConfiguration.class,
						Class.forName("io.jobqueue.spring.autoconfigure.JobQueueAutoConfiguration"),
						Class.forName("io.jobqueue.spring.autoconfigure.JobQueueSchedulesAutoConfiguration"),
						Class.forName("io.jobqueue.spring.autoconfigure.JobQueueWorkerAutoConfiguration"),
						Class.forName("io.jobqueue.test.JobQueueTestAutoConfiguration")));
			application.withBean(kotlin.loadClass("shop.Receipts")).run((context) -> runs(context, kotlin));
			application.withBean(kotlin.loadClass("shop.Suspending"))
				.run((context) -> assertThat(context).getFailure()
					.hasMessageContaining("shop.Suspending.run")
					.hasMessageContaining("is a suspend function"));
		}
	}

	private static void runs(AssertableApplicationContext context, ClassLoader kotlin) throws Exception {
		JobQueue jobs = context.getBean(JobQueue.class);
		Object order = kotlin.loadClass("shop.OrderPlaced")
			.getConstructor(long.class, String.class, String.class)
			.newInstance(7, "ada@example.org", null);
		jobs.enqueue(NewJob.of("send-receipt", order));
		jobs.enqueue(NewJob.of("nothing"));
		context.getBean(JobQueueTester.class).runDue().assertNoneFailed();
		Object receipts = context.getBean(kotlin.loadClass("shop.Receipts"));
		assertThat(receipts.getClass().getMethod("getSent").invoke(receipts).toString())
			.isEqualTo("[7 ada@example.org null 1, nothing]");
	}

	private Path compiled() throws IOException {
		Path source = Files.writeString(this.folder.resolve("Shop.kt"), SOURCES);
		Path classes = Files.createDirectory(this.folder.resolve("classes"));
		ByteArrayOutputStream messages = new ByteArrayOutputStream();
		ExitCode exit = new K2JVMCompiler().exec(new PrintStream(messages, true, StandardCharsets.UTF_8),
				source.toString(), "-d", classes.toString(), "-classpath", System.getProperty("java.class.path"),
				"-no-stdlib", "-no-reflect", "-jvm-target", "17", "-java-parameters");
		assertThat(exit).as(messages.toString(StandardCharsets.UTF_8)).isEqualTo(ExitCode.OK);
		return classes;
	}

}
