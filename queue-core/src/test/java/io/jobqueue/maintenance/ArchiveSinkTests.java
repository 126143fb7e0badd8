package io.jobqueue.maintenance;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;

import io.jobqueue.ArchivedJob;
import io.jobqueue.JobArchiveSink;
import io.jobqueue.JobError;
import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.database.Database;
import io.jobqueue.poison.Suspicion.Degree;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Deadlines;
import io.jobqueue.store.EnqueuedJob;
import io.jobqueue.store.Failure;
import io.jobqueue.store.Finish;
import io.jobqueue.store.Keep;
import io.jobqueue.store.MaintenanceStore;
import io.jobqueue.store.ReadyRange;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.store.jdbc.JdbcJobStore;
import io.jobqueue.test.ClaimRequests;
import io.jobqueue.test.ForEachDatabase;
import io.jobqueue.test.TestDatabase;
import io.jobqueue.test.TestSchema;
import io.jobqueue.test.Together;
import io.jobqueue.test.WatchedDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * What is stored elsewhere before it is deleted, and how many archived jobs are kept.
 */
@ForEachDatabase
class ArchiveSinkTests {

	private static final ReadyRange RANGE = new ReadyRange("default", 4, 0, Degree.NONE, false, Duration.ZERO);

	@Parameter
	TestDatabase testDatabase;

	private TestSchema schema;

	private JdbcJobStore store;

	private JdbcTemplate sql;

	private final List<ArchivedJob> stored = new ArrayList<>();

	@BeforeEach
	void createSchema() {
		assumeTrue(this.testDatabase.isAvailable(), this.testDatabase::whyNot);
		this.schema = this.testDatabase.create();
		this.store = new JdbcJobStore(new Database(this.schema.dataSource()), StoreSettings.DEFAULT);
		this.sql = new JdbcTemplate(this.schema.dataSource());
	}

	@AfterEach
	void closeSchema() {
		if (this.schema != null) {
			this.schema.close();
		}
	}

	private Prune prune(MaintenanceStore seen, String application, Keep keep, JobArchiveSink sink) {
		return new Prune(seen, () -> application, Map.of(JobState.SUCCEEDED, keep, JobState.DEAD, keep),
				Duration.ofMinutes(1), sink);
	}

	private Prune storing() {
		return prune(this.store, "any", Keep.of(Duration.ZERO), this.stored::addAll);
	}

	@Test
	void oneApplicationsSinkIsKnownToTheOthersFromItsStartOn() {
		succeeded(3, "p");
		Prune other = prune(beforeEachBatch(() -> {
			Prune storing = prune(this.store, "storing", Keep.of(Duration.ofDays(36_500)), this.stored::addAll);
			assertThat(storing.atStart()).isTrue();
			storing.runOnce();
		}), "other", Keep.of(Duration.ZERO), null);
		assertThat(other.atStart()).isFalse();
		assertThat(other.runOnce()).as("its round had begun before").isZero();
		assertThat(archived()).isEqualTo(3);
	}

	/** Such a round may go on for long. */
	private MaintenanceStore beforeEachBatch(Runnable before) {
		return (MaintenanceStore) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { MaintenanceStore.class }, (proxy, method, arguments) -> {
					if (method.getName().equals("prune")) {
						before.run();
					}
					try {
						return method.invoke(this.store, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getTargetException();
					}
				});
	}

	private List<Long> enqueue(int jobs, String payload) {
		return this.store
			.enqueue(IntStream.range(0, jobs).mapToObj((i) -> new EnqueuedJob(NewJob.of("any"), payload)).toList())
			.ids();
	}

	private List<ClaimedJob> claim(int limit) {
		return this.store.claim(ClaimRequests.any(7, List.of(RANGE), limit, Deadlines.always(Duration.ofMinutes(1))));
	}

	private List<Long> succeeded(int jobs, String payload) {
		List<Long> ids = enqueue(jobs, payload);
		List<ClaimedJob> claimed = claim(jobs);
		assertThat(this.store.finish(claimed.stream().map((job) -> new Finish.Ack(job.claim())).toList())).isEmpty();
		// All that ended in one statement have one time.
		for (int i = 0; i < jobs; i++) {
			this.sql.update("UPDATE jobqueue_archive SET finished_at = ? WHERE id = ?",
					"2026-01-01 00:00:%02d.000000".formatted(i % 60), ids.get(i));
		}
		return ids;
	}

	private long archived() {
		return this.sql.queryForObject("SELECT COUNT(*) FROM jobqueue_archive", Long.class);
	}

	@Test
	void aJobIsStoredWithAllThatIsKnownOfItAndThenDeleted() {
		String payload = "x".repeat(10_000);
		long id = enqueue(1, payload).get(0);
		this.store.finish(
				List.of(new Finish.Retry(claim(1).get(0).claim(), Duration.ZERO, Failure.of(1, "first", "it fails"))));
		this.store.finish(List.of(new Finish.DeadLetter(claim(1).get(0).claim(), Failure.of(2, "second", "again"))));
		assertThat(storing().runOnce()).isEqualTo(1);
		assertThat(this.stored).hasSize(1);
		ArchivedJob job = this.stored.get(0);
		assertThat(job.job().id()).isEqualTo(id);
		assertThat(job.job().state()).isEqualTo(JobState.DEAD);
		assertThat(job.job().payload()).isEqualTo(payload);
		assertThat(job.fence()).isEqualTo(3);
		assertThat(job.errors()).extracting(JobError::type).containsExactly("first", "second");
		assertThat(job.job().lastError()).contains(job.errors().get(1));
		assertThat(this.store.find(id)).isEmpty();
		for (String table : List.of("archive", "payload", "error")) {
			assertThat(this.sql.queryForObject("SELECT COUNT(*) FROM jobqueue_" + table, Long.class)).as(table)
				.isZero();
		}
		assertThat(storing().runOnce()).isZero();
		assertThat(this.stored).hasSize(1);
	}

	@Test
	void manyJobsAreStoredEachOnce() {
		List<Long> ids = succeeded(1_200, "p");
		assertThat(storing().runOnce()).isEqualTo(1_200);
		assertThat(this.stored).extracting((job) -> job.job().id()).containsExactlyInAnyOrderElementsOf(ids);
	}

	@Test
	void whatIsLargeIsStoredInSmallerBatches() {
		List<Integer> sizes = new ArrayList<>();
		succeeded(12, "x".repeat(3 * 1024 * 1024));
		assertThat(prune(this.store, "any", Keep.of(Duration.ZERO), (jobs) -> sizes.add(jobs.size())).runOnce())
			.isEqualTo(12);
		assertThat(sizes).allMatch((size) -> size <= 2);
	}

	@Test
	void nothingIsDeletedThatCouldNotBeStored() {
		succeeded(3, "p");
		Prune failing = prune(this.store, "any", Keep.of(Duration.ZERO), (jobs) -> {
			throw new IOException("the disk is full");
		});
		assertThatThrownBy(failing::runOnce).hasMessageContaining("none is deleted")
			.hasMessageContaining("the disk is full");
		assertThat(archived()).isEqualTo(3);
		assertThat(storing().runOnce()).isEqualTo(3);
		assertThat(this.stored).hasSize(3);
	}

	/** Its errors, read before, would be those of its first life. */
	@Test
	void aJobThatWasRedrivenAndHasEndedAgainSinceItsSizeWasReadIsLeftForTheNextRound() {
		List<Long> ids = succeeded(2, "p");
		WatchedDataSource watched = new WatchedDataSource(this.schema.dataSource());
		AtomicBoolean first = new AtomicBoolean(true);
		watched.beforePlainStatement((sql) -> {
			if (sql.contains("FROM jobqueue_error") && first.getAndSet(false)) {
				Together.elsewhere(() -> this.sql.update(
						"UPDATE jobqueue_archive SET finished_at = '2026-01-02 00:00:00', fence = fence + 3 WHERE id = ?",
						ids.get(0)));
			}
		});
		JdbcJobStore reading = new JdbcJobStore(new Database(watched), StoreSettings.DEFAULT);
		assertThat(prune(reading, "any", Keep.of(Duration.ZERO), this.stored::addAll).runOnce()).isEqualTo(1);
		assertThat(first).isFalse();
		assertThat(this.stored).extracting((one) -> one.job().id()).containsExactly(ids.get(1));
		assertThat(archived()).isEqualTo(1);
		assertThat(storing().runOnce()).isEqualTo(1);
	}

	@Test
	void whatWasStoredBeforeACrashComesAgainAndIsRecognised() {
		List<Long> ids = succeeded(3, "p");
		MaintenanceStore dying = (MaintenanceStore) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { MaintenanceStore.class }, (proxy, called, arguments) -> {
					if (called.getName().equals("deleteArchived")) {
						throw new IllegalStateException("the process dies here");
					}
					try {
						return called.invoke(this.store, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getTargetException();
					}
				});
		assertThatThrownBy(prune(dying, "any", Keep.of(Duration.ZERO), this.stored::addAll)::runOnce)
			.hasMessageContaining("dies here");
		assertThat(archived()).isEqualTo(3);
		assertThat(storing().runOnce()).isEqualTo(3);
		assertThat(this.stored).hasSize(6);
		assertThat(this.stored.stream()
			.map((one) -> List.of(one.job().id(), one.fence(), one.job().enqueuedAt()))
			.distinct()).hasSize(3);
		assertThat(this.stored.subList(3, 6)).extracting((one) -> one.job().id())
			.containsExactlyInAnyOrderElementsOf(ids);
	}

	@Test
	void aJobThatIsRedrivenMeanwhileStaysAndComesAgainWithAHigherFence() {
		enqueue(1, "p");
		this.store.finish(List.of(new Finish.DeadLetter(claim(1).get(0).claim(), Failure.of(1, "any", "any"))));
		Prune prune = prune(this.store, "any", Keep.of(Duration.ZERO), (jobs) -> {
			if (this.stored.isEmpty()) {
				this.store.redrive(List.of(jobs.get(0).job().id()));
				ClaimedJob again = claim(1).get(0);
				this.store.finish(List.of(new Finish.DeadLetter(again.claim(), Failure.of(1, "any", "any"))));
			}
			this.stored.addAll(jobs);
		});
		assertThat(prune.runOnce()).isZero();
		assertThat(archived()).isEqualTo(1);
		assertThat(prune.runOnce()).isEqualTo(1);
		assertThat(this.stored).hasSize(2);
		assertThat(this.stored.get(1).fence()).isGreaterThan(this.stored.get(0).fence());
	}

	@Test
	void anApplicationWithoutASinkLeavesThemToTheOneThatHasOne() {
		storing().runOnce();
		succeeded(2, "p");
		assertThat(prune(this.store, "hasty", Keep.of(Duration.ZERO), null).runOnce()).isZero();
		assertThat(archived()).isEqualTo(2);
		assertThat(storing().runOnce()).isEqualTo(2);
	}

	/** As in a rolling deploy, or if only some nodes have the bean. */
	@Test
	void aNodeOfTheSameApplicationWithoutASinkDeletesNothing() {
		storing().runOnce();
		succeeded(2, "p");
		Prune without = prune(this.store, "any", Keep.of(Duration.ZERO), null);
		assertThat(without.runOnce()).isZero();
		assertThat(without.runOnce()).isZero();
		assertThat(storing().runOnce()).isEqualTo(2);
		this.sql.update("UPDATE jobqueue_retention SET elsewhere_until = seen_at");
		succeeded(1, "p");
		assertThat(without.runOnce()).as("the sink is gone for good").isEqualTo(1);
	}

	/** Ids and fences start again after the tables were truncated. */
	@Test
	void anotherJobWithTheSameIdAndFenceIsNotDeleted() {
		succeeded(1, "p");
		Prune prune = prune(this.store, "any", Keep.of(Duration.ZERO), (jobs) -> this.sql
			.update("UPDATE jobqueue_archive SET enqueued_at = '2026-01-01 00:00:00', payload = 'another'"));
		assertThat(prune.runOnce()).isZero();
		assertThat(archived()).isEqualTo(1);
	}

	@Test
	void noMoreThanSoManyAreKeptWhateverTheirAge() {
		List<Long> ids = succeeded(10, "p");
		Keep four = new Keep(Duration.ofDays(36_500), 4, false);
		assertThat(prune(this.store, "any", four, null).runOnce()).isEqualTo(6);
		assertThat(this.sql.queryForList("SELECT id FROM jobqueue_archive ORDER BY id", Long.class))
			.isEqualTo(ids.subList(6, 10));
		assertThat(prune(this.store, "any", four, null).runOnce()).isZero();
		assertThat(prune(this.store, "other", Keep.of(Duration.ofDays(36_500)), null).runOnce()).isZero();
		succeeded(10, "p");
		assertThat(prune(this.store, "any", four, null).runOnce()).as("the other one wants them all").isZero();
	}

}
