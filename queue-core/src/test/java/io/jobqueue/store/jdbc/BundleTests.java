package io.jobqueue.store.jdbc;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import io.jobqueue.CurrentActor;
import io.jobqueue.NewJob;
import io.jobqueue.PayloadFormat;
import io.jobqueue.Schedule;
import io.jobqueue.node.OperatorStores;
import io.jobqueue.node.QueueNode;
import io.jobqueue.node.Stores;
import io.jobqueue.store.PayloadTypes;
import io.jobqueue.store.PayloadWriter;
import io.jobqueue.store.QueueListeners;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.store.StoredJobQueue;
import io.jobqueue.store.WorkerSessions.NewSession;
import io.jobqueue.test.ForEachDatabase;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

/**
 * What a report of a problem shows of the database, and what it must not show.
 */
@ForEachDatabase
class BundleTests extends StoreTests {

	/** What the application, or the people who run it, have put there. */
	private static final Set<String> SECRETS = Set.of("payload", "order_key", "limit_key", "unique_key", "trace",
			"message", "stack_trace", "problem", "actor", "target", "worker", "server", "application");

	@Test
	void itRunsAndShowsNothingOfTheApplications() throws IOException {
		assumeFalse(this.testDatabase.isH2(), "H2 has other system tables");
		seed();
		int columns = hideSecrets();
		assertThat(columns).isGreaterThan(20);
		List<String> shown = new ArrayList<>();
		int failed = 0;
		for (String statement : statements()) {
			try {
				shown.add(statement.lines().findFirst().orElse("") + this.rows.sql(statement).query().listOfRows());
			}
			catch (RuntimeException ex) {
				// As with --force: other tables of MariaDB's, and that of the starter.
				assertThat(statement).containsAnyOf("data_locks", "jobqueue_schema_history", "@@version_comment");
				failed++;
			}
		}
		assertThat(failed).isLessThan(4);
		String all = String.join("\n", shown);
		assertThat(shown).as("a dead job with two errors is one")
			.anyMatch((rows) -> rows.contains("error_type=") && rows.contains("jobs=1,"));
		assertThat(all).contains("secretive-type", "nightly").doesNotContain("a secret").doesNotContain("A SECRET");
	}

	private List<String> statements() throws IOException {
		String script = Files.readString(Path.of("../docs/operations/bundle.sql"))
			.lines()
			.filter((line) -> !line.startsWith("--"))
			.collect(Collectors.joining("\n"));
		return Arrays.stream(script.split(";")).map(String::strip).filter((text) -> !text.isEmpty()).toList();
	}

	private void seed() {
		QueueNode node = new QueueNode(this.database, Stores.on(this.database, StoreSettings.DEFAULT),
				OperatorStores.on(this.database, StoreSettings.DEFAULT), new QueueListeners(), CurrentActor.UNKNOWN);
		PayloadWriter payloads = new PayloadWriter(PayloadFormat.text(), PayloadTypes.UNKNOWN, 1024 * 1024);
		StoredJobQueue queue = node.queue(payloads);
		dead(NewJob.of("secretive-type", "x"));
		this.rows
			.sql("INSERT INTO jobqueue_error (job_id, fence, attempt, failed_at, error_type, message, stack_trace) "
					+ "SELECT job_id, fence + 1, attempt, failed_at, error_type, message, stack_trace FROM jobqueue_error")
			.update();
		queue.enqueue(NewJob.of("secretive-type", "x").orderKey("k").uniqueKey("k"));
		queue.enqueue(NewJob.of("secretive-type", "x".repeat(10_000)));
		queue.pause("mail");
		node.schedules(payloads).save(Schedule.every("nightly", Duration.ofHours(1)));
		node.stores()
			.sessions()
			.open(new NewSession("w", 1, List.of(), List.of("secretive-type")), Duration.ofMinutes(1));
	}

	/** Wherever there is a text of somebody else's, it is a secret now. */
	private int hideSecrets() {
		int hidden = 0;
		for (Map<String, Object> column : this.rows
			.sql("SELECT table_name AS t, column_name AS c FROM information_schema.columns "
					+ "WHERE table_schema = DATABASE() AND table_name LIKE 'jobqueue%'")
			.query()
			.listOfRows()) {
			if (SECRETS.contains(column.get("c"))) {
				this.rows.sql("UPDATE " + column.get("t") + " SET " + column.get("c") + " = 'a secret'").update();
				hidden++;
			}
		}
		return hidden;
	}

}
