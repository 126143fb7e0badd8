package io.jobqueue.store.jdbc;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

import javax.sql.DataSource;

import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.database.Database;
import io.jobqueue.database.StateCode;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.EnqueuedJob;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.store.jdbc.Rows.LiveRow;
import io.jobqueue.test.ForEachDatabase;
import io.jobqueue.test.Together;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

@ForEachDatabase
class EnqueueTests extends StoreTests {

	@Test
	void aRowInsertedByPlainSqlIsAJobWithTheRightDefaults() {
		this.rows.sql("INSERT INTO jobqueue_job (type, payload) VALUES ('send-receipt', '{\"orderId\":42}')").update();
		long id = this.rows.sql("SELECT MAX(id) FROM jobqueue_job").query(Long.class).single();
		LiveRow row = this.rows.live(id);
		assertThat(row).isEqualTo(new LiveRow(id, StateCode.READY, "default", 4, row.availableAt(), "send-receipt", 0,
				0, 0, 0, 0, 0, 0, Rows.NEVER, Rows.NEVER, Rows.NEVER, row.enqueuedAt(), false, "{\"orderId\":42}"));
		assertThat(this.rows.holds(id, "available_at <= {now} AND available_at > TIMESTAMPADD(HOUR, -1, {now})"))
			.isTrue();
		assertThat(this.rows.holds(id, "enqueued_at <= {now} AND enqueued_at > TIMESTAMPADD(HOUR, -1, {now})"))
			.isTrue();
		ClaimedJob claimed = claim(10).get(0);
		assertThat(claimed.claim().id()).isEqualTo(id);
		assertThat(claimed.type()).isEqualTo("send-receipt");
		assertThat(claimed.attempt()).isEqualTo(1);
		assertThat(claimed.maxAttempts()).isZero();
		assertThat(claimed.timeout()).isZero();
		assertThat(claimed.payload()).isEqualTo(new ClaimedJob.Payload("{\"orderId\":42}", false));
	}

	@Test
	void whatAJobSaysIsStored() {
		long id = enqueue(NewJob.of("send-receipt", "{}")
			.queue("mail")
			.priority(9)
			.maxAttempts(3)
			.timeout(Duration.ofMinutes(2))
			.expiresAfter(Duration.ofHours(1)));
		LiveRow row = this.rows.live(id);
		assertThat(row)
			.isEqualTo(new LiveRow(id, StateCode.READY, "mail", 9, row.availableAt(), "send-receipt", 0, 0, 3, 120_000,
					0, 0, 0, Rows.NEVER, Rows.NEVER, row.enqueuedAt().plusHours(1), row.enqueuedAt(), false, "{}"));
	}

	@Test
	void aJobWithoutAPayloadHasNone() {
		long id = enqueue(NewJob.of("rebuild-index"));
		assertThat(this.rows.live(id).payload()).isNull();
		assertThat(claim(1).get(0).payload()).isEqualTo(new ClaimedJob.Payload(null, false));
		assertThat(this.store.payload(id)).isNull();
	}

	@Test
	void nothingIsEnqueuedForNoJobs() {
		assertThat(this.store.enqueue(List.of()).ids()).isEmpty();
		assertThat(this.rows.count("jobqueue_job")).isZero();
	}

	@Test
	void idsComeInTheOrderInWhichTheJobsWereGiven() {
		List<NewJob> jobs = IntStream.range(0, 1_203).mapToObj(EnqueueTests::mixed).toList();
		List<Long> ids = enqueueAll(jobs);
		assertThat(ids).hasSize(jobs.size()).doesNotContainNull();
		assertThat(new HashSet<>(ids)).hasSize(jobs.size());
		Map<Long, String> payloads = payloads();
		assertThat(payloads).hasSize(jobs.size());
		for (int i = 0; i < jobs.size(); i++) {
			assertThat(payloads.get(ids.get(i))).as("job %s", i).isEqualTo(jobs.get(i).payload());
		}
		assertThat(this.rows.count("jobqueue_payload"))
			.isEqualTo(jobs.stream().filter((job) -> ((String) job.payload()).length() > 4096).count());
	}

	@Test
	void idsComeInTheOrderGivenAlsoWhereSomeJobsWereThereBefore() {
		List<NewJob> jobs = IntStream.range(0, 1_203).mapToObj(EnqueueTests::mixed).toList();
		List<Long> first = enqueueAll(jobs);
		List<Long> second = enqueueAll(jobs);
		Map<Long, String> payloads = payloads();
		for (int i = 0; i < jobs.size(); i++) {
			if (jobs.get(i).uniqueKey() != null) {
				assertThat(second.get(i)).as("job %s", i).isEqualTo(first.get(i));
			}
			else {
				assertThat(first).as("job %s", i).doesNotContain(second.get(i));
				assertThat(payloads.get(second.get(i))).as("job %s", i).isEqualTo(jobs.get(i).payload());
			}
		}
	}

	private static NewJob mixed(int number) {
		NewJob job = NewJob.of("mixed", number + ((number % 97 == 0) ? "x".repeat(5_000) : ""));
		job = (number % 41 == 0) ? job.uniqueKey("key-" + number) : job;
		job = (number % 13 == 0) ? job.delay(Duration.ofHours(1)) : job;
		return (number % 11 == 0) ? job.expiresAfter(Duration.ofHours(1)) : job;
	}

	private Map<Long, String> payloads() {
		Map<Long, String> payloads = new HashMap<>();
		this.rows.sql("""
				SELECT j.id, COALESCE(p.payload, j.payload) AS payload
				FROM jobqueue_job j
				LEFT JOIN jobqueue_payload p ON p.job_id = j.id""").query((row) -> {
			payloads.put(row.getLong("id"), row.getString("payload"));
		});
		return payloads;
	}

	@Test
	void aBatchMayHoldMoreThanOneStatementCanCarry() {
		List<NewJob> jobs = IntStream.range(0, 7)
			.mapToObj((number) -> NewJob.of("big", number + "x".repeat(700_000)))
			.toList();
		List<Long> ids = enqueueAll(jobs);
		for (int i = 0; i < jobs.size(); i++) {
			assertThat(this.store.payload(ids.get(i))).isEqualTo(jobs.get(i).payload());
		}
	}

	@Test
	void payloadsOver4096BytesAreKeptApartFromTheJob() {
		long inline = enqueue(NewJob.of("any", "x".repeat(4_096)));
		long large = enqueue(NewJob.of("any", "x".repeat(4_097)));
		long largeInBytes = enqueue(NewJob.of("any", "€".repeat(1_366)));
		assertThat(this.rows.live(inline).largePayload()).isFalse();
		assertThat(this.rows.live(inline).payload()).hasSize(4_096);
		assertThat(List.of(this.rows.live(large), this.rows.live(largeInBytes)))
			.allMatch((row) -> row.largePayload() && row.payload() == null);
		assertThat(this.store.payload(large)).isEqualTo("x".repeat(4_097));
		assertThat(this.store.payload(largeInBytes)).isEqualTo("€".repeat(1_366));
	}

	@Test
	void aDelayIsCountedFromTheDatabasesClock() {
		long id = enqueue(NewJob.of("any").delay(Duration.ofMinutes(5)));
		LiveRow row = this.rows.live(id);
		assertThat(row.availableAt()).isEqualTo(row.enqueuedAt().plusMinutes(5));
		assertThat(this.store.ready(0, Set.of(), false).ranges()).hasSize(1).noneMatch((line) -> line.isDue());
		assertThat(claim(List.of(range("default", 4)), 10)).isEmpty();
		this.rows.set(id, "available_at = TIMESTAMPADD(MINUTE, -5, available_at)");
		assertThat(claimIds(10)).containsExactly(id);
	}

	@Test
	void availableAtIsExactToTheMicrosecond() {
		Instant time = Instant.parse("2031-07-01T12:34:56.123456789Z");
		long id = enqueue(NewJob.of("any").availableAt(time));
		assertThat(this.rows.live(id).availableAt()).isEqualTo(LocalDateTime.parse("2031-07-01T12:34:56.123456"));
		assertThat(this.store.find(id).orElseThrow().availableAt())
			.isEqualTo(Instant.parse("2031-07-01T12:34:56.123456Z"));
		assertThat(this.store.find(id).orElseThrow().state()).isEqualTo(JobState.READY);
	}

	@Test
	void aTimeInThePastMeansAtOnce() {
		long id = enqueue(NewJob.of("any").availableAt(Instant.parse("2001-01-01T00:00:00Z")));
		assertThat(claimIds(10)).containsExactly(id);
	}

	@Test
	void aJobOfATransactionThatIsRolledBackNeverExisted() {
		transaction().executeWithoutResult((status) -> {
			enqueue(NewJob.of("any", "x".repeat(5_000)).uniqueKey("key"));
			status.setRollbackOnly();
		});
		assertThat(this.rows.all().values()).allMatch(List::isEmpty);
	}

	@Test
	void aJobIsNotSeenBeforeItsTransactionCommits() {
		Long id = inTransaction(() -> {
			long uncommitted = enqueue(NewJob.of("any"));
			assertThat(Together.elsewhere(() -> this.store.find(uncommitted))).isEmpty();
			assertThat(Together.elsewhere(() -> claim(10))).isEmpty();
			return uncommitted;
		});
		assertThat(claimIds(10)).containsExactly(id);
	}

	@Test
	void aTransactionOfAnotherDataSourceIsRefused() {
		TransactionTemplate foreign = transaction(schema().pool(""));
		assertThatIllegalStateException()
			.isThrownBy(() -> foreign.executeWithoutResult((status) -> enqueue(NewJob.of("any"))))
			.withMessageContaining("not on the job queue's DataSource");
		assertThat(this.rows.count("jobqueue_job")).isZero();
	}

	/**
	 * Spring binds the connection of any statement to a transaction that is open, even if
	 * that is on another DataSource.
	 */
	@Test
	void aTransactionOfAnotherDataSourceIsRefusedAlsoAfterItHasReadFromTheQueue() {
		TransactionTemplate foreign = transaction(schema().pool(""));
		assertThatIllegalStateException().isThrownBy(() -> foreign.executeWithoutResult((status) -> {
			this.store.find(1);
			enqueue(NewJob.of("any"));
		}));
		assertThat(this.rows.count("jobqueue_job")).isZero();
	}

	/**
	 * On such a pool a connection that does not commit by itself is no sign of a
	 * transaction.
	 */
	@Test
	void aTransactionOfAnotherDataSourceIsRefusedAlsoOnAPoolThatDoesNotCommitByItself() {
		DataSource pool = schema().pool((settings) -> settings.setAutoCommit(false));
		JdbcJobStore store = new JdbcJobStore(new Database(pool), StoreSettings.DEFAULT);
		assertThatIllegalStateException().isThrownBy(() -> transaction().executeWithoutResult((status) -> {
			store.find(1);
			store.enqueue(List.of(text(NewJob.of("any"))));
		}));
		assertThat(this.rows.count("jobqueue_job")).isZero();
		transaction(pool).executeWithoutResult((status) -> store.enqueue(List.of(text(NewJob.of("any")))));
		assertThat(this.rows.count("jobqueue_job")).isEqualTo(1);
	}

	@Test
	void aProxyThatKnowsOfTransactionsIsNoOtherDataSource() {
		JdbcJobStore store = new JdbcJobStore(new Database(new TransactionAwareDataSourceProxy(dataSource())),
				StoreSettings.DEFAULT);
		long id = enqueue(NewJob.of("any"));
		transaction().executeWithoutResult((status) -> {
			store.enqueue(List.of(text(NewJob.of("rolled-back"))));
			assertThat(store.cancel(id)).isTrue();
			status.setRollbackOnly();
		});
		assertThat(this.rows.count("jobqueue_job")).isZero();
		assertThat(this.rows.count("jobqueue_archive")).isEqualTo(1);
	}

	@Test
	void theStoresOwnTransactionsCommitWhateverTheCallersDoes() {
		long id = enqueue(NewJob.of("any"));
		transaction().executeWithoutResult((status) -> {
			assertThat(this.store.cancel(id)).isTrue();
			status.setRollbackOnly();
		});
		assertThat(this.rows.archived(id).state()).isEqualTo(StateCode.of(JobState.CANCELLED));
	}

	@Test
	void aPoolThatDoesNotCommitByItselfIsNoProblem() {
		Database database = new Database(schema().pool((settings) -> settings.setAutoCommit(false)));
		JdbcJobStore store = new JdbcJobStore(database, StoreSettings.DEFAULT);
		List<EnqueuedJob> jobs = List.of(text(NewJob.of("any", "1")), text(NewJob.of("any", "2")));
		List<Long> ids = store.enqueue(jobs).ids();
		assertThat(store.find(ids.get(1)).orElseThrow().payload()).isEqualTo("2");
		assertThat(store.ready(0, Set.of(), false).ranges()).hasSize(1);
		assertThat(claimIds(10)).containsExactlyElementsOf(ids);
	}

}
