package io.jobqueue.store.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import com.zaxxer.hikari.HikariDataSource;
import io.jobqueue.NewJob;
import io.jobqueue.database.Database;
import io.jobqueue.database.StateCode;
import io.jobqueue.store.EnqueuedJob;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.test.ForEachDatabase;
import io.jobqueue.test.Together;
import io.jobqueue.test.WatchedDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * How a batch of new jobs becomes statements.
 */
@ForEachDatabase
class EnqueueStatementsTests extends StoreTests {

	private final List<WatchedDataSource> watched = new ArrayList<>();

	private JdbcJobStore watchedStore() {
		WatchedDataSource source = new WatchedDataSource(dataSource());
		this.watched.add(source);
		return new JdbcJobStore(new Database(source), StoreSettings.DEFAULT);
	}

	private List<WatchedDataSource.Executed> executed(String start) {
		return this.watched.get(0).executed().stream().filter((one) -> one.sql().startsWith(start)).toList();
	}

	@Test
	void aJobThatNeedsNoMoreIsOneStatementThatNamesWhatIsNotTheDefault() {
		JdbcJobStore store = watchedStore();
		store.enqueue(List.of(text(NewJob.of("any", "p"))));
		store.enqueue(List.of(text(NewJob.of("any").queue("mail").priority(7).delay(Duration.ofSeconds(2)))));
		assertThat(this.watched.get(0).executed()).extracting(WatchedDataSource.Executed::sql)
			.filteredOn((sql) -> sql.startsWith("INSERT") || sql.startsWith("SET"))
			.satisfiesExactly(
					(sql) -> assertThat(sql).isEqualTo("INSERT INTO jobqueue_job (type, payload) VALUES (?,?)"),
					(sql) -> assertThat(sql)
						.startsWith("INSERT INTO jobqueue_job (type, payload, queue, priority, available_at) VALUES "));
		assertThat(this.watched.get(0).commits()).isZero();
	}

	@Test
	void whereSomeJobDiffersFromTheDefaultsTheOthersHaveThem() {
		List<Long> ids = watchedStore().enqueue(List.of(text(NewJob.of("any")),
				text(NewJob.of("any", "p")
					.queue("mail")
					.priority(9)
					.maxAttempts(2)
					.timeout(Duration.ofSeconds(5))
					.expiresAfter(Duration.ofHours(1))
					.delay(Duration.ofHours(2)))))
			.ids();
		Rows.LiveRow plain = this.rows.live(ids.get(0));
		Rows.LiveRow special = this.rows.live(ids.get(1));
		assertThat(plain).isEqualTo(new Rows.LiveRow(ids.get(0), StateCode.READY, "default", 4, plain.enqueuedAt(),
				"any", 0, 0, 0, 0, 0, 0, 0, Rows.NEVER, Rows.NEVER, Rows.NEVER, plain.enqueuedAt(), false, null));
		assertThat(special).isEqualTo(new Rows.LiveRow(ids.get(1), StateCode.READY, "mail", 9,
				special.enqueuedAt().plusHours(2), "any", 0, 0, 2, 5_000, 0, 0, 0, Rows.NEVER, Rows.NEVER,
				special.enqueuedAt().plusHours(1), special.enqueuedAt(), false, "p"));
	}

	@Test
	void onAPoolThatDoesNotCommitByItselfAJobIsCommittedAllTheSame() {
		try (HikariDataSource pool = schema().pool((settings) -> settings.setAutoCommit(false))) {
			long id = new JdbcJobStore(new Database(pool), StoreSettings.DEFAULT)
				.enqueue(List.of(text(NewJob.of("any"))))
				.ids()
				.get(0);
			assertThat(this.store.find(id)).isPresent();
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { TransactionDefinition.PROPAGATION_SUPPORTS, TransactionDefinition.PROPAGATION_NOT_SUPPORTED,
			TransactionDefinition.PROPAGATION_NEVER })
	void inAScopeWithoutTransactionAJobIsCommittedAtOnce(int propagation) {
		TransactionTemplate scope = transaction();
		scope.setPropagationBehavior(propagation);
		scope.executeWithoutResult((status) -> {
			long id = enqueue(NewJob.of("any"));
			assertThat(Together.elsewhere(() -> this.store.find(id))).isPresent();
		});
	}

	@Test
	void whereTheServerDoesNotCommitByItselfThoughTheDriverThinksSoAJobIsCommittedAllTheSame() {
		assumeTrue(!this.testDatabase.isH2(), "H2 has no such settings");
		try (HikariDataSource pool = schema().pool("useLocalSessionState=true&sessionVariables=autocommit=0")) {
			long id = new JdbcJobStore(new Database(pool), StoreSettings.DEFAULT)
				.enqueue(List.of(text(NewJob.of("any"))))
				.ids()
				.get(0);
			assertThat(this.store.find(id)).isPresent();
		}
	}

	@Test
	void aStatementIsBoundedByCount() {
		watchedStore().enqueue(IntStream.range(0, 1_001).mapToObj((i) -> text(NewJob.of("any", "p"))).toList());
		assertThat(executed("INSERT INTO jobqueue_job")).hasSize(3);
	}

	@Test
	void aStatementIsBoundedBySize() {
		String payload = "x".repeat(4_000);
		watchedStore().enqueue(IntStream.range(0, 500).mapToObj((i) -> text(NewJob.of("any", payload))).toList());
		List<WatchedDataSource.Executed> inserts = executed("INSERT INTO jobqueue_job");
		assertThat(inserts).hasSize(2);
		for (WatchedDataSource.Executed insert : inserts) {
			assertThat(insert.parameters().values().stream().filter(payload::equals).count() * 4_000)
				.isLessThan(1_100_000);
		}
	}

	@Test
	void uniqueKeysAreTakenInSortedOrder() {
		List<String> keys = List.of("m", "b", "z", "a", "y");
		watchedStore().enqueue(keys.stream().map((key) -> text(NewJob.of("any").uniqueKey(key))).toList());
		List<WatchedDataSource.Executed> upserts = new ArrayList<>(executed("INSERT INTO jobqueue_unique_key"));
		upserts.addAll(executed("MERGE INTO jobqueue_unique_key"));
		assertThat(upserts.get(0).parameters().values().stream().filter(keys::contains).toList())
			.isEqualTo(List.of("a", "b", "m", "y", "z"));
	}

	@Test
	void aBatchWhoseLastStatementFailsLeavesNothing() {
		assumeTrue(!this.testDatabase.isH2(), "H2 stores payloads of any size");
		List<EnqueuedJob> jobs = new ArrayList<>(
				IntStream.range(0, 700).mapToObj((i) -> text(NewJob.of("any", "p").uniqueKey("k" + i))).toList());
		jobs.add(text(NewJob.of("any", "x".repeat(17 * 1024 * 1024))));
		assertThatExceptionOfType(DataAccessException.class).isThrownBy(() -> this.store.enqueue(jobs));
		assertThat(this.rows.count("jobqueue_job")).isZero();
		assertThat(this.rows.count("jobqueue_unique_key")).isZero();
	}

}
