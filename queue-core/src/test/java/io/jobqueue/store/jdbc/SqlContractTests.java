package io.jobqueue.store.jdbc;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;

import io.jobqueue.Job;
import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.jdbc.order.JdbcOrderKeys;
import io.jobqueue.store.OrderKeys;
import io.jobqueue.store.Finish;
import io.jobqueue.store.EnqueuedJob;
import io.jobqueue.test.ForEachDatabase;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

/**
 * What the tables promise to programs that know SQL only.
 */
@ForEachDatabase
class SqlContractTests extends StoreTests {

	static final Path CONTRACT = Path.of("..", "docs", "sql-contract.md");

	@ParameterizedTest
	@ValueSource(strings = { "type = ''", "queue = ''", "priority = -1", "priority = 10", "state = 3", "state = 6",
			"state = 11", "state = -1" })
	void theTableRefusesWhatTheContractForbids(String assignment) {
		JdbcTemplate sql = new JdbcTemplate(dataSource());
		sql.update("INSERT INTO jobqueue_job (type) VALUES ('work')");
		assertThatExceptionOfType(DataAccessException.class)
			.isThrownBy(() -> sql.update("UPDATE jobqueue_job SET " + assignment));
	}

	/**
	 * The statements of the document, as they stand there.
	 */
	@Test
	void aUniqueKeyCanBeTakenBySql() throws Exception {
		assumeFalse(this.testDatabase.isH2(), "they are MySQL's");
		assertThat(enqueueBySql()).isTrue();
		Job first = this.store.findByKey("send-receipt", "receipt-42").orElseThrow();
		assertThat(first.payload()).isEqualTo("{\"orderId\":42}");
		assertThat(enqueueBySql()).as("the key is taken").isFalse();
		assertThat(idOf(NewJob.of("send-receipt", "any").uniqueKey("receipt-42"))).as("for the API too")
			.isEqualTo(first.id());
		JdbcTemplate sql = new JdbcTemplate(dataSource());
		assertThat(sql.queryForObject("SELECT COUNT(*) FROM jobqueue_job", Long.class)).isOne();

		this.store.cancel(first.id());
		assertThat(enqueueBySql()).as("within the key's time").isFalse();
		sql.update("UPDATE jobqueue_unique_key SET expires_at = '2020-01-01'");
		assertThat(enqueueBySql()).as("after the key's time").isTrue();
		Job second = this.store.findByKey("send-receipt", "receipt-42").orElseThrow();
		assertThat(second.id()).isNotEqualTo(first.id());
		sql.update("UPDATE jobqueue_unique_key SET expires_at = '2020-01-01'");
		assertThat(enqueueBySql()).as("while its job is live").isFalse();
		assertThat(second.state()).isEqualTo(JobState.READY);
	}

	@Test
	void aKeyThatTheApiHasTakenIsTakenForSql() throws Exception {
		assumeFalse(this.testDatabase.isH2(), "they are MySQL's");
		long id = idOf(NewJob.of("send-receipt", "any").uniqueKey("receipt-42"));
		assertThat(enqueueBySql()).isFalse();
		assertThat(this.store.findByKey("send-receipt", "receipt-42").map(Job::id)).isEqualTo(Optional.of(id));
	}

	@Test
	void jobsInOrderCanBeEnqueuedBySql() throws Exception {
		assumeFalse(this.testDatabase.isH2(), "they are MySQL's");
		OrderKeys keys = new JdbcOrderKeys(this.database, System::nanoTime);
		long first = enqueueInOrderBySql();
		long second = enqueueInOrderBySql();
		long third = idOf(NewJob.of("order-changed", "any").orderKey("order-42"));
		for (long id : List.of(first, second, third)) {
			assertThat(keys.settle().ready()).hasSize(1);
			List<ClaimedJob> claimed = claim(10);
			assertThat(claimed).extracting((job) -> job.claim().id()).containsExactly(id);
			this.store.finish(List.of(new Finish.Ack(claimed.get(0).claim())));
		}
	}

	private long enqueueInOrderBySql() throws SQLException, IOException {
		String contract = Files.readString(CONTRACT);
		String block = contract.substring(contract.indexOf("**Jobs in order.**"));
		block = block.substring(block.indexOf("START TRANSACTION;"));
		try (Connection connection = dataSource().getConnection(); Statement sql = connection.createStatement()) {
			for (String statement : block.substring(0, block.indexOf("```")).split(";\\s*")) {
				sql.execute(statement);
			}
			connection.setAutoCommit(true);
			try (ResultSet row = sql.executeQuery("SELECT LAST_INSERT_ID()")) {
				row.next();
				return row.getLong(1);
			}
		}
	}

	private long idOf(NewJob job) {
		return this.store.enqueue(List.of(new EnqueuedJob(job, "any"))).ids().get(0);
	}

	private boolean enqueueBySql() throws SQLException, IOException {
		List<String> statements = statements();
		try (Connection connection = dataSource().getConnection(); Statement sql = connection.createStatement()) {
			boolean taken = false;
			for (String statement : statements) {
				if (taken && !statement.startsWith("COMMIT")) {
					continue;
				}
				if (sql.execute(statement)) {
					try (ResultSet rows = sql.getResultSet()) {
						taken = rows.next();
					}
				}
			}
			connection.setAutoCommit(true);
			return !taken;
		}
	}

	private static List<String> statements() throws IOException {
		String contract = Files.readString(CONTRACT);
		String block = contract.substring(contract.indexOf("SET TRANSACTION ISOLATION LEVEL READ COMMITTED;"));
		return List.of(block.substring(0, block.indexOf("```")).replaceAll("--[^\n]*", "").split(";\\s*"));
	}

}
