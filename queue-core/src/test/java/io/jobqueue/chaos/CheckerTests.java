package io.jobqueue.chaos;

import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.List;

import io.jobqueue.chaos.History.Pause;
import io.jobqueue.store.Claim;
import io.jobqueue.test.TestDatabase;
import io.jobqueue.test.TestSchema;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * The checker finds what is broken: each case breaks one thing of a run in which
 * everything is in order.
 */
class CheckerTests {

	private static final String ARCHIVE = """
			INSERT INTO jobqueue_archive (id, state, order_key, finished_at, queue, type, priority, available_at, fence, attempt,
			    max_attempts, timeout_ms, crashes, session_id, claimed_at, enqueued_at, large_payload, payload)
			VALUES (?, ?, IF(id < 3, 'key', NULL), '2026-01-01 00:00:04' + INTERVAL id SECOND, 'at-times', ?, 4, '2026-01-01 00:00:00', ?, 1, 3, 0, 0, 1,
			    '2026-01-01 00:00:03' + INTERVAL id SECOND, '2026-01-01 00:00:00', 0, ?)""";

	private static final String TRACE = "INSERT INTO %s (job_id, fence, attempt, worker) VALUES (?, ?, ?, 'w')";

	private static final LocalDateTime CLAIMED = LocalDateTime.of(2026, 1, 1, 0, 0, 5);

	private TestSchema schema;

	private JdbcTemplate sql;

	private History history;

	@BeforeEach
	void liveThroughGoodTimes(@TempDir Path folder) {
		assumeTrue(TestDatabase.MYSQL.isAvailable(), TestDatabase.MYSQL.whyNot());
		this.schema = TestDatabase.MYSQL.create();
		this.sql = new JdbcTemplate(this.schema.dataSource());
		this.history = new History(folder.resolve("history"));
		Effects.createTables(this.sql);
		archive(1, 3, ChaosWorker.EFFECT, 4);
		trace(Effects.EFFECT, 1, 2, 1);
		trace(Effects.EFFECT, 1, 4, 2);
		archive(2, 3, ChaosWorker.LEDGER, 2);
		trace(Effects.LEDGER, 2, 2, 1);
		archive(3, 4, ChaosWorker.FAILING, 3);
		for (int id = 1; id <= 3; id++) {
			this.history.invoke("t" + id, "any", null);
			this.history.ok("t" + id, id);
		}
		this.history.invoke("t4", "any", null);
		this.history.fail("t4", new IllegalStateException());
		this.history.invoke("t5", "any", null);
		this.history.unknown("t5", new IllegalStateException());
		this.history.paused(new Pause(Producer.PAUSED_AT_TIMES, CLAIMED.minusSeconds(1), CLAIMED.plusSeconds(9)));
	}

	@AfterEach
	void close() {
		if (this.schema != null) {
			this.history.close();
			this.schema.close();
		}
	}

	private void archive(long id, int state, String type, long fence) {
		this.sql.update(ARCHIVE, id, state, type, fence, Producer.payload("t" + id, 0));
	}

	private void trace(String table, long id, long fence, int attempt) {
		this.sql.update(TRACE.formatted(table), id, fence, attempt);
	}

	private List<String> violations(Claim... won) {
		return Checker.violations(this.sql, this.history, List.of(new Claim(1, 2, 1), new Claim(1, 4, 1)),
				List.of(won));
	}

	@Test
	void nothingIsFoundWhereNothingIsBroken() {
		assertThat(violations(new Claim(1, 4, 1), new Claim(2, 2, 1))).isEmpty();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					DELETE FROM jobqueue_archive WHERE id = 1                                      | is lost
					INSERT INTO jobqueue_job (type, payload) VALUES ('effect', 'token=t1 ')        | was stored 2 times
					INSERT INTO jobqueue_job (type, payload) VALUES ('effect', 'token=t4 ')        | had failed, and is there
					INSERT INTO jobqueue_job (type, payload) VALUES ('effect', 'token=t9 ')        | Nobody enqueued
					DELETE FROM ledger                                                             | The ledger has []
					INSERT INTO ledger (job_id, fence, attempt, worker) VALUES (2, 1, 1, 'w')      | The ledger has
					UPDATE jobqueue_archive SET state = 4 WHERE id = 2                             | The ledger has
					DELETE FROM effect WHERE fence = 4                                             | without an effect under its fence
					INSERT INTO effect (job_id, fence, attempt, worker) VALUES (1, 4, 2, 'w')      | ran twice
					UPDATE effect SET fence = 5 WHERE attempt = 1                                  | fell from 5
					INSERT INTO effect (job_id, fence, attempt, worker) VALUES (1, 6, 3, 'w')      | under a stale fence
					UPDATE jobqueue_archive SET state = 3 WHERE id = 3                             | never succeeded and is not dead
					UPDATE jobqueue_archive SET state = 4 WHERE id = 1                             | could have succeeded
					UPDATE jobqueue_archive SET claimed_at = '2026-01-01 00:00:08' WHERE id = 1    | was claimed in
					UPDATE jobqueue_archive SET claimed_at = '2026-01-01 00:00:04' WHERE id = 2    | before the end of
					UPDATE jobqueue_archive SET claimed_at = '2026-01-01 00:00:06' WHERE id = 1    | was enqueued later""")
	void whatIsBrokenIsFound(String broken, String found) {
		this.sql.update(broken);
		assertThat(violations()).anyMatch((violation) -> violation.contains(found));
	}

	@Test
	void twoWorkersWithOneClaimAreFoundThoughOneOfThemRolledBack() {
		Claim claim = new Claim(2, 2, 1);
		assertThat(Checker.violations(this.sql, this.history, List.of(claim, claim), List.of())).singleElement()
			.asString()
			.contains("ran twice");
	}

	@Test
	void aWorkerThatBelievesToHaveWonIsNotBelieved() {
		assertThat(violations(new Claim(1, 2, 1))).singleElement().asString().contains("A worker believes");
	}

}
