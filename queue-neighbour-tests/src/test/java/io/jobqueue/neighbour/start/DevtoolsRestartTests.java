package io.jobqueue.neighbour.start;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

import io.jobqueue.JobHandler;
import io.jobqueue.JobQueue;
import io.jobqueue.NewJob;
import io.jobqueue.test.TestDatabase;
import io.jobqueue.test.TestSchema;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.EventListener;
import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * An application that Spring Boot's developer tools restart when its classes change. Its
 * handlers and payloads are loaded anew, by another class loader; the queue's own classes
 * are not ({@code META-INF/spring-devtools.properties}), as it is with jars.
 */
class DevtoolsRestartTests {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	@TempDir
	private Path folder;

	private TestSchema schema;

	private Process process;

	@BeforeEach
	void start() throws IOException {
		assumeTrue(TestDatabase.MYSQL.isAvailable(), TestDatabase.MYSQL::whyNot);
		this.schema = TestDatabase.MYSQL.create();
		Path watched = Files.createDirectory(this.folder.resolve("watched"));
		this.process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp",
				System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
				Application.class.getName(), "--spring.datasource.url=" + this.schema.jdbcUrl(),
				"--spring.datasource.username=" + this.schema.username(),
				"--spring.datasource.password=" + this.schema.password(), "--spring.main.web-application-type=none",
				"--spring.main.keep-alive=true", "--spring.liquibase.enabled=false",
				"--spring.devtools.restart.additional-paths=" + watched, "--spring.devtools.livereload.enabled=false")
			.redirectErrorStream(true)
			.redirectOutput(output().toFile())
			.start();
		await("it is started", () -> said("STARTED").size() == 1);
	}

	@AfterEach
	void stop() throws InterruptedException {
		if (this.process != null) {
			this.process.destroyForcibly().waitFor(30, TimeUnit.SECONDS);
		}
		if (this.schema != null) {
			this.schema.close();
		}
	}

	@Test
	void handlersAndPayloadsAreThoseOfTheNewClassesAndARunningJobEndsBefore() throws IOException {
		await("the first job runs", () -> said("RAN quick").size() == 1);
		await("a long job runs", () -> said("BEGINS slow").size() == 1);
		Files.writeString(this.folder.resolve("watched").resolve("changed"), "");
		await("it is started anew", () -> said("STARTED").size() == 2);
		await("the first job of the new classes runs", () -> said("RAN quick").size() == 2);
		await("the second long job has run", () -> said("RAN slow").size() == 2);

		List<String> said = said("");
		assertThat(said.stream().filter((line) -> line.matches("(STARTED|RAN).*")).map((line) -> line.split("@")[0]))
			.as("what runs ends before the new start")
			.containsExactly("STARTED RestartClassLoader", "RAN quick RestartClassLoader",
					"RAN slow RestartClassLoader", "STARTED RestartClassLoader", "RAN quick RestartClassLoader",
					"RAN slow RestartClassLoader");
		assertThat(said("QUEUE")).as("of a jar").hasSize(2).allMatch((line) -> line.startsWith("QUEUE AppClassLoader"));
		List<String> starts = said("STARTED");
		List<String> runs = said("RAN");
		assertThat(loader(starts.get(0))).isNotEqualTo(loader(starts.get(1)));
		assertThat(runs.subList(0, 2)).allMatch((line) -> loader(line).equals(loader(starts.get(0))));
		assertThat(runs.subList(2, 4)).allMatch((line) -> loader(line).equals(loader(starts.get(1))));
		JdbcTemplate sql = new JdbcTemplate(this.schema.dataSource());
		Awaitility.await()
			.atMost(PATIENCE)
			.untilAsserted(() -> assertThat(sql
				.queryForList("SELECT CONCAT(state, ' ', attempt, ' ', crashes) FROM jobqueue_archive", String.class))
				.as("state, attempts and crashes")
				.containsExactly("3 1 0", "3 1 0", "3 1 0", "3 1 0"));
		assertThat(sql.queryForObject("SELECT COUNT(*) FROM jobqueue_session", Integer.class)).as("workers").isOne();
	}

	private Path output() {
		return this.folder.resolve("output");
	}

	private List<String> said(String what) {
		try {
			return Files.readAllLines(output()).stream().filter((line) -> line.startsWith(what)).toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private String loader(String line) {
		return line.substring(line.lastIndexOf(' ') + 1);
	}

	private void await(String what, Callable<Boolean> condition) {
		Awaitility.await(what)
			.atMost(PATIENCE)
			.failFast(() -> assertThat(this.process.isAlive()).as("%s", said("")).isTrue())
			.until(condition);
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Notes.class)
	static class Application {

		public static void main(String[] arguments) {
			SpringApplication.run(Application.class, arguments);
		}

	}

	static class Notes {

		private final JobQueue jobs;

		Notes(JobQueue jobs) {
			this.jobs = jobs;
		}

		@EventListener(ApplicationReadyEvent.class)
		void started() {
			say("QUEUE", JobQueue.class);
			say("STARTED", Notes.class);
			this.jobs.enqueue(NewJob.of("note", new Note("quick", 0)));
			this.jobs.enqueue(NewJob.of("note", new Note("slow", 3_000)));
		}

		@JobHandler("note")
		void note(Note note) throws InterruptedException {
			System.out.println("BEGINS " + note.text());
			Thread.sleep(note.millis());
			say("RAN " + note.text(), Note.class);
		}

		private void say(String what, Class<?> type) {
			ClassLoader loader = type.getClassLoader();
			System.out.println(what + " " + loader.getClass().getSimpleName() + "@" + loader.hashCode());
		}

	}

	record Note(String text, long millis) {

	}

}
