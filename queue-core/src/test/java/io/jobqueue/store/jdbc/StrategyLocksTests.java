package io.jobqueue.store.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import com.zaxxer.hikari.HikariDataSource;
import io.jobqueue.database.Database;
import io.jobqueue.poison.Suspicion.Degree;
import io.jobqueue.ClaimStrategy;
import io.jobqueue.store.ReadyRange;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.test.WatchedDataSource.Executed;
import io.jobqueue.test.WatchedDataSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * What claims by the other strategies lock and read, with few and many ready jobs.
 */
class StrategyLocksTests extends ReadyJobsTests {

	private JdbcJobStore store(ClaimStrategy claim) {
		return new JdbcJobStore(new Database(this.watched), StoreSettings.DEFAULT.withClaim(claim));
	}

	@ParameterizedTest
	@CsvSource({ "COMPARE_AND_SET, false", "COMPARE_AND_SET, true", "UPDATE_LIMIT, false", "UPDATE_LIMIT, true" })
	void aClaimLocksTheJobsThatItTakesAndNothingElse(ClaimStrategy claim, boolean lifo) {
		ReadyRange range = new ReadyRange("default", 4, 0, Degree.NONE, lifo, Duration.ZERO);
		List<RowLock> locks = new ArrayList<>();
		// Else the statement commits by itself, and nobody sees its locks.
		WatchedDataSource open = new WatchedDataSource(schema().pool((settings) -> settings.setAutoCommit(false)));
		open.beforeCommit((connection) -> locks.addAll(RowLock.of(connection, schema())));
		Set<Long> claimed = ids(claim(new JdbcJobStore(new Database(open), StoreSettings.DEFAULT.withClaim(claim)),
				List.of(range), 100));
		assertThat(claimed).hasSize(Math.min(100, this.readyJobs));
		List<RowLock> ofRows = locks.stream().filter((lock) -> lock.type().equals("RECORD")).toList();
		assertThat(ofRows).isNotEmpty().as("no gaps").allMatch((lock) -> lock.mode().equals("X,REC_NOT_GAP"));
		assertThat(ofRows).allMatch((lock) -> lock.table().equals("jobqueue_job"));
		assertThat(ofRows).extracting(RowLock::id).hasSameElementsAs(claimed);
	}

	@ParameterizedTest
	@EnumSource(names = { "COMPARE_AND_SET", "UPDATE_LIMIT" })
	void aClaimReadsAFewRowsForEachJob(ClaimStrategy claim) {
		int expected = Math.min(100, this.readyJobs);
		try (HikariDataSource single = schema().pool((settings) -> settings.setMaximumPoolSize(1))) {
			Database database = new Database(single);
			JdbcJobStore store = new JdbcJobStore(database, StoreSettings.DEFAULT.withClaim(claim));
			long before = handlerReads(database);
			assertThat(claim(store, List.of(RANGE), 100)).hasSize(expected);
			long after = handlerReads(database);
			assertThat(after - before).isLessThan(8L * expected + 200);
			if (this.readyJobs > 100) {
				assertThat(claim(store, List.of(RANGE), 100)).hasSize(100);
				assertThat(handlerReads(database) - after).as("behind the last one").isLessThan(900);
			}
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "COMPARE_AND_SET", "UPDATE_LIMIT" })
	void noStatementOfAClaimSortsOrReadsAnotherIndex(ClaimStrategy claim) throws SQLException {
		assumeTrue(this.readyJobs > 1, "a single job that is claimed is none to be planned for");
		claim(store(claim), List.of(RANGE), 100);
		List<Executed> statements = this.watched.executed()
			.stream()
			.filter((statement) -> statement.sql().contains("jobqueue_job "))
			.filter((statement) -> statement.sql().startsWith("SELECT") || statement.sql().startsWith("UPDATE"))
			.toList();
		assertThat(statements).hasSizeGreaterThanOrEqualTo(2);
		for (Executed statement : statements) {
			assertThat(plan(statement)).as(statement.sql())
				.doesNotContain("filesort")
				.containsAnyOf("jobqueue_job_claim", "PRIMARY");
		}
	}

	private static String plan(Executed executed) throws SQLException {
		StringBuilder plan = new StringBuilder();
		try (Connection connection = schema().connect();
				PreparedStatement statement = executed.prepare(connection, "EXPLAIN FORMAT=TRADITIONAL ");
				ResultSet row = statement.executeQuery()) {
			while (row.next()) {
				plan.append(row.getString("table"))
					.append(' ')
					.append(row.getString("key"))
					.append(' ')
					.append(row.getString("Extra"))
					.append('\n');
			}
		}
		return plan.toString();
	}

}
