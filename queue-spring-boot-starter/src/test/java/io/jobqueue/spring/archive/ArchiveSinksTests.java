package io.jobqueue.spring.archive;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

import io.jobqueue.ArchivedJob;
import io.jobqueue.Job;
import io.jobqueue.JobArchiveSink;
import io.jobqueue.JobError;
import io.jobqueue.JobHandler;
import io.jobqueue.JobQueue;
import io.jobqueue.JobState;
import io.jobqueue.maintenance.Maintenance;
import io.jobqueue.spring.autoconfigure.JobQueueAutoConfiguration;
import io.jobqueue.spring.autoconfigure.JobQueueWorkerAutoConfiguration;
import io.jobqueue.test.LogLines;
import io.jobqueue.test.TestDatabase;
import io.jobqueue.test.TestSchema;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.util.unit.DataSize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Where archived jobs go before they are deleted.
 */
class ArchiveSinksTests {

	private static final Instant TIME = Instant.parse("2026-03-29T01:30:00.123456Z");

	@TempDir
	Path directory;

	private static ArchivedJob job(long id, long fence, String payload) {
		JobError error = new JobError(1, TIME, "any", "it „fails“\n", "at line 1");
		return new ArchivedJob(new Job(id, "send-receipt", "mail", JobState.DEAD, 4, 3, 3, 0, payload, TIME, TIME, TIME,
				TIME, error, null, null, null, "traceparent: 00-1-2-01", null), fence, List.of(error));
	}

	@ParameterizedTest
	@EnumSource(TestDatabase.class)
	void aTableOfAnotherDatabaseHasEachJobOnce(TestDatabase server) {
		assumeTrue(server.isAvailable(), server::whyNot);
		try (TestSchema schema = server.createEmpty()) {
			createTable(server, schema);
			JdbcArchiveSink sink = new JdbcArchiveSink(schema.dataSource());
			sink.store(List.of(job(1, 2, "{\"a\":\"ü🙂\"}"), job(2, 2, null)));
			sink.store(List.of(job(1, 2, "{\"a\":\"ü🙂\"}"), job(1, 5, "again")));
			JdbcTemplate sql = new JdbcTemplate(schema.dataSource());
			assertThat(sql.queryForList("SELECT payload FROM jobqueue_archived_job ORDER BY id, fence", String.class))
				.containsExactly("{\"a\":\"ü🙂\"}", "again", null);
			assertThat(sql.queryForObject("SELECT finished_at FROM jobqueue_archived_job WHERE id = 2",
					LocalDateTime.class))
				.isEqualTo("2026-03-29T01:30:00.123456");
			JsonNode errors = new JsonMapper()
				.readTree(sql.queryForObject("SELECT errors FROM jobqueue_archived_job WHERE id = 2", String.class));
			assertThat(errors.get(0).get("message").asString()).isEqualTo("it „fails“\n");
		}
	}

	/** As after a node's lease has run out while it was storing them. */
	@ParameterizedTest
	@EnumSource(TestDatabase.class)
	void twoNodesMayStoreTheSameJobsAtOnce(TestDatabase server) throws Exception {
		assumeTrue(server.isAvailable(), server::whyNot);
		ExecutorService nodes = Executors.newFixedThreadPool(2);
		try (TestSchema schema = server.createEmpty()) {
			createTable(server, schema);
			JdbcArchiveSink sink = new JdbcArchiveSink(schema.dataSource());
			List<ArchivedJob> jobs = IntStream.range(0, 200).mapToObj((i) -> job(i, 1, "x")).toList();
			List<ArchivedJob> reversed = new ArrayList<>(jobs);
			Collections.reverse(reversed);
			for (int i = 0; i < 10; i++) {
				CyclicBarrier together = new CyclicBarrier(2);
				List<Future<Void>> stored = Stream.of(jobs, reversed).map((batch) -> nodes.<Void>submit(() -> {
					together.await();
					sink.store(batch);
					return null;
				})).toList();
				for (Future<Void> one : stored) {
					one.get();
				}
				assertThat(new JdbcTemplate(schema.dataSource())
					.queryForObject("SELECT COUNT(*) FROM jobqueue_archived_job WHERE payload = 'x'", Long.class))
					.isEqualTo(200);
				new JdbcTemplate(schema.dataSource()).update("DELETE FROM jobqueue_archived_job");
			}
		}
		finally {
			nodes.shutdownNow();
		}
	}

	private static void createTable(TestDatabase server, TestSchema schema) {
		new ResourceDatabasePopulator(new ClassPathResource(
				"io/jobqueue/archive/" + ((server == TestDatabase.H2) ? "standard" : "mysql") + ".sql"))
			.execute(schema.dataSource());
	}

	@Test
	void filesHaveALineForEachJob() throws IOException {
		NdjsonArchiveSink sink = new NdjsonArchiveSink(this.directory.resolve("new"), DataSize.ofMegabytes(1));
		sink.store(List.of(job(1, 2, "{\"a\":\"ü🙂\"}"), job(2, 2, null)));
		sink.store(List.of(job(3, 2, "x")));
		assertThat(files()).hasSize(1);
		List<JsonNode> lines = lines(files().get(0));
		assertThat(lines).hasSize(3);
		JsonNode first = lines.get(0);
		assertThat(first.get("id").asLong()).isEqualTo(1);
		assertThat(first.get("fence").asLong()).isEqualTo(2);
		assertThat(first.get("enqueuedAt").asString()).isEqualTo("2026-03-29T01:30:00.123456Z");
		assertThat(first.get("payload").asString()).isEqualTo("{\"a\":\"ü🙂\"}");
		assertThat(first.get("errors").get(0).get("message").asString()).isEqualTo("it „fails“\n");
		assertThat(lines.get(1).get("payload").isNull()).isTrue();
	}

	@Test
	void aFileThatHasItsSizeIsFollowedByAnother() throws IOException {
		NdjsonArchiveSink sink = new NdjsonArchiveSink(this.directory, DataSize.ofBytes(100));
		for (int i = 0; i < 3; i++) {
			sink.store(List.of(job(i, 1, "x")));
		}
		assertThat(files()).hasSize(3);
		List<JsonNode> all = new ArrayList<>();
		for (Path file : files()) {
			all.addAll(lines(file));
		}
		assertThat(all).extracting((line) -> line.get("id").asLong()).containsExactlyInAnyOrder(0L, 1L, 2L);
	}

	@Test
	void aBatchThatCouldNotBeWrittenLeavesNothingBehind() throws IOException {
		NdjsonArchiveSink sink = new NdjsonArchiveSink(this.directory, DataSize.ofMegabytes(1));
		sink.store(List.of(job(1, 1, "x")));
		List<ArchivedJob> broken = new ArrayList<>(
				IntStream.range(0, 5_000).mapToObj((i) -> job(i, 1, Integer.toString(i * 7_919))).toList());
		broken.add(null);
		assertThatThrownBy(() -> sink.store(broken)).isInstanceOf(NullPointerException.class);
		sink.store(List.of(job(2, 1, "x")));
		List<JsonNode> all = new ArrayList<>();
		for (Path file : files()) {
			all.addAll(lines(file));
		}
		assertThat(all).extracting((line) -> line.get("id").asLong()).containsExactlyInAnyOrder(1L, 2L);
	}

	private static ApplicationContextRunner runner() {
		return new ApplicationContextRunner()
			.withPropertyValues("spring.datasource.generate-unique-name=true", "jobqueue.archive.succeeded=0",
					"jobqueue.archive.prune-interval=50ms")
			.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
					DataSourceTransactionManagerAutoConfiguration.class, JacksonAutoConfiguration.class,
					TransactionAutoConfiguration.class, JobQueueAutoConfiguration.class,
					JobQueueWorkerAutoConfiguration.class))
			.withBean(Succeeds.class);
	}

	@Test
	void aSinkOfTheApplicationGetsWhatIsPruned() {
		NdjsonArchiveSink sink = new NdjsonArchiveSink(this.directory, DataSize.ofMegabytes(1));
		List<ArchivedJob> seen = new ArrayList<>();
		runner().withBean("files", JobArchiveSink.class, () -> sink)
			.withBean("list", JobArchiveSink.class, () -> seen::addAll)
			.run((context) -> {
				JobQueue queue = context.getBean(JobQueue.class);
				long id = queue.enqueue("any", "payload");
				Awaitility.await().until(() -> queue.find(id).isEmpty());
				assertThat(seen).extracting((one) -> one.job().id()).containsExactly(id);
				assertThat(lines(files().get(0)).get(0).get("payload").asString()).isEqualTo("\"payload\"");
			});
	}

	@Test
	void sinksOfAParentContextGetThemToo() {
		List<ArchivedJob> one = new CopyOnWriteArrayList<>();
		List<ArchivedJob> two = new CopyOnWriteArrayList<>();
		try (GenericApplicationContext parent = new GenericApplicationContext()) {
			parent.registerBean("one", JobArchiveSink.class, () -> one::addAll);
			parent.registerBean("two", JobArchiveSink.class, () -> two::addAll,
					(definition) -> definition.setScope("prototype"));
			parent.refresh();
			runner().withParent(parent).run((context) -> {
				context.getBean(JobQueue.class).enqueue("any", "payload");
				Awaitility.await().until(() -> one.size() == 1 && two.size() == 1);
			});
		}
	}

	/** And not when the first job is to be pruned. */
	@Test
	void aSinkThatCannotStoreIsKnownByNameAtTheStart() {
		try (TestSchema warehouse = TestDatabase.H2.createEmpty(); LogLines lines = LogLines.of(Maintenance.class)) {
			JdbcArchiveSink history = new JdbcArchiveSink(warehouse.dataSource());
			runner().withBean("files", JobArchiveSink.class, () -> (jobs) -> {
			}).withBean("history", JobArchiveSink.class, () -> history).run((context) -> {
				Awaitility.await().until(() -> context.getBean(Maintenance.class).isFailing("prune"));
				assertThat(lines.messages()).singleElement()
					.asString()
					.contains("The sink 'history' (jobqueue_archived_job by JDBC) failed", "because of",
							"JOBQUEUE_ARCHIVED_JOB", "not found");
				createTable(TestDatabase.H2, warehouse);
				Awaitility.await().until(() -> !context.getBean(Maintenance.class).isFailing("prune"));
			});
		}
	}

	private List<Path> files() throws IOException {
		try (Stream<Path> files = Files.walk(this.directory)) {
			return files.filter(Files::isRegularFile).toList();
		}
	}

	private static List<JsonNode> lines(Path file) throws IOException {
		try (InputStream in = new GZIPInputStream(Files.newInputStream(file))) {
			return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines()
				.map((line) -> new JsonMapper().readTree(line))
				.toList();
		}
	}

	static class Succeeds {

		@JobHandler("any")
		void any() {
		}

	}

}
