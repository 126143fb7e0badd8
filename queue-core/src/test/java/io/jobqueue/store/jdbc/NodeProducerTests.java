package io.jobqueue.store.jdbc;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import io.jobqueue.Job;
import io.jobqueue.NewJob;
import io.jobqueue.database.Database;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.test.Programs;
import io.jobqueue.test.TestDatabase;
import io.jobqueue.test.TestSchema;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * The producer of {@code examples/node-producer}.
 */
class NodeProducerTests {

	private static final Path FOLDER = Path.of("..", "examples", "node-producer");

	private TestSchema schema;

	@BeforeEach
	void createSchema() {
		assumeTrue(Programs.NODE.isThere(), Programs.NODE.whyNot());
		assumeTrue(TestDatabase.MYSQL.isAvailable(), TestDatabase.MYSQL.whyNot());
		this.schema = TestDatabase.MYSQL.create();
	}

	@AfterEach
	void dropSchema() {
		if (this.schema != null) {
			this.schema.close();
		}
	}

	@Test
	void enqueues() throws Exception {
		assertThat(enqueue("send-receipt", "{\"orderId\":42,\"name\":\"Zoë 🎉\"}")).isEqualTo("1 added");
		Job job = store().find(1).orElseThrow();
		assertThat(job.type()).isEqualTo("send-receipt");
		assertThat(job.payload()).isEqualTo("{\"orderId\":42,\"name\":\"Zoë 🎉\"}");
	}

	@Test
	void enqueuesOnceForAKey() throws Exception {
		assertThat(enqueue("send-receipt", "{\"orderId\":43}", "receipt-43")).isEqualTo("1 added");
		assertThat(enqueue("send-receipt", "{\"orderId\":43}", "receipt-43")).isEqualTo("1 was there");
		assertThat(enqueue("other", "null", "receipt-43")).isEqualTo("2 added");
		assertThat(store().enqueue(List.of(StoreTests.text(NewJob.of("send-receipt", "any").uniqueKey("receipt-43"))))
			.ids()).as("for Java too").containsExactly(1L);
	}

	@Test
	void severalAtOnceEnqueueOneJob() throws Exception {
		List<Process> producers = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			producers.add(start("send-receipt", "{\"orderId\":44}", "receipt-44"));
		}
		List<String> answers = new ArrayList<>();
		for (Process producer : producers) {
			answers.add(answer(producer));
		}
		assertThat(answers).filteredOn((answer) -> answer.endsWith("added")).hasSize(1);
		assertThat(answers).extracting((answer) -> answer.split(" ")[0]).containsOnly(answers.get(0).split(" ")[0]);
	}

	@Test
	void saysWhatTheDatabaseRefuses() throws Exception {
		Process process = start("", "{}");
		assertThat(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
			.contains("jobqueue_job_names");
		assertThat(process.waitFor()).isOne();
	}

	private JdbcJobStore store() {
		return new JdbcJobStore(new Database(this.schema.dataSource()), StoreSettings.DEFAULT);
	}

	private String enqueue(String... arguments) throws IOException, InterruptedException {
		return answer(start(arguments));
	}

	private Process start(String... arguments) throws IOException {
		URI jdbc = URI.create(this.schema.jdbcUrl().substring("jdbc:".length()));
		String login = this.schema.username() + (this.schema.password().isEmpty() ? "" : ":" + this.schema.password());
		List<String> command = new ArrayList<>(
				List.of(Programs.NODE.path().toString(), FOLDER.resolve("enqueue.js").toString(),
						"mysql://" + login + "@" + jdbc.getHost() + ":" + jdbc.getPort() + jdbc.getPath()));
		command.addAll(List.of(arguments));
		return new ProcessBuilder(command).redirectErrorStream(true).start();
	}

	private static String answer(Process process) throws IOException, InterruptedException {
		String answer = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).trim();
		assertThat(process.waitFor()).as(answer).isZero();
		return answer;
	}

}
