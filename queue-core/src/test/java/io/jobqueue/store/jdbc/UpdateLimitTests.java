package io.jobqueue.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.jobqueue.NewJob;
import io.jobqueue.database.Database;
import io.jobqueue.database.UnsupportedDatabaseException;
import io.jobqueue.poison.Load;
import io.jobqueue.poison.Suspicion.Degree;
import io.jobqueue.store.ClaimRequest;
import io.jobqueue.ClaimStrategy;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Deadlines;
import io.jobqueue.store.ReadyRange;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.test.ClaimRequests;
import io.jobqueue.test.ForEachDatabase;
import io.jobqueue.test.SplitReads;
import io.jobqueue.test.TestDatabase;
import io.jobqueue.test.TestSchema;
import io.jobqueue.test.WatchedDataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * What an update takes by itself, and what it leaves to the claim by compare-and-set.
 */
@ForEachDatabase
class UpdateLimitTests extends StoreTests {

	private static final StoreSettings SETTINGS = StoreSettings.DEFAULT.withClaim(ClaimStrategy.UPDATE_LIMIT);

	private WatchedDataSource watched;

	private JdbcJobStore updating;

	@BeforeEach
	void openUpdating() {
		assumeFalse(this.testDatabase.isH2(), "H2 ignores the order of an UPDATE");
		this.watched = new WatchedDataSource(dataSource());
		this.updating = new JdbcJobStore(new Database(this.watched), SETTINGS);
	}

	private List<ClaimedJob> claimUpdating(List<ReadyRange> ranges, int limit, Deadlines deadlines) {
		return this.updating.claim(ClaimRequests.any(SESSION, ranges, limit, deadlines));
	}

	private List<Long> claimIdsUpdating(int limit) {
		return claimUpdating(List.of(range("default", 4)), limit, Deadlines.always(DEADLINE)).stream()
			.map((job) -> job.claim().id())
			.toList();
	}

	private long updates() {
		return this.watched.executed()
			.stream()
			.filter((statement) -> statement.sql().startsWith("UPDATE jobqueue_job")
					&& statement.sql().contains("LIMIT"))
			.count();
	}

	@Test
	void jobsThatNothingIsKnownAgainstAreTakenByOneUpdate() {
		List<Long> ids = enqueue(5);
		assertThat(claimIdsUpdating(3)).isEqualTo(ids.subList(0, 3));
		assertThat(updates()).isEqualTo(1);
		assertThat(this.watched.executed()).noneMatch((statement) -> statement.sql().contains("FOR UPDATE"));
	}

	@Test
	void whatItTookIsReadThoughALateReplicaDoesNotShowIt() {
		try (TestSchema copy = this.testDatabase.create()) {
			SplitReads splitting = new SplitReads(this.watched, copy.dataSource());
			splitting.late((sql) -> sql.contains("state = 1"));
			this.updating = new JdbcJobStore(new Database(splitting), SETTINGS);
			List<Long> ids = enqueue(5);
			assertThat(claimIdsUpdating(3)).isEqualTo(ids.subList(0, 3));
			assertThat(splitting.split()).isEqualTo(1);
			assertThat(claimIdsUpdating(3)).isEqualTo(ids.subList(3, 5));
			assertThat(splitting.split()).as("claims in transactions from now on").isEqualTo(1);
		}
	}

	@Test
	void theDeadlinesAreThoseThatAJobWouldGetThatIsReadBefore() {
		Deadlines deadlines = new Deadlines(
				Map.of("slow", Duration.ofHours(1), "slow-too", Duration.ofHours(1), "fast", Duration.ofMillis(1_500),
						"endless", Duration.ZERO, "usual", Duration.ofMinutes(7)),
				Duration.ofMinutes(7), Duration.ofMinutes(1));
		for (String type : List.of("slow", "slow-too", "fast", "endless", "usual", "unknown")) {
			for (long timeout : List.of(0L, 1L, 90_000L, -5L, Long.MAX_VALUE)) {
				long id = enqueue(NewJob.of(type));
				this.rows.set(id, "timeout_ms = " + timeout);
			}
		}
		List<ClaimedJob> jobs = claimUpdating(List.of(range("default", 4)), 100, deadlines);
		assertThat(jobs).hasSize(30);
		for (ClaimedJob job : jobs) {
			Rows.LiveRow row = this.rows.live(job.claim().id());
			Duration given = Duration.between(row.claimedAt(), row.deadlineAt());
			assertThat(given).as(job.type() + " " + job.timeout())
				.isCloseTo(deadlines.of(job.type(), job.timeout()), Duration.ofMinutes(2));
			assertThat(given.compareTo(Deadlines.NEVER) >= 0)
				.isEqualTo(deadlines.of(job.type(), job.timeout()).compareTo(Deadlines.NEVER) >= 0);
		}
	}

	@Test
	void anEnqueueThatIsNotCommittedKeepsNoOthersWaitingForLong() throws SQLException {
		try (Connection open = schema().connect()) {
			open.setAutoCommit(false);
			long first;
			try (var insert = open.prepareStatement("INSERT INTO jobqueue_job (type) VALUES ('any')", 1)) {
				insert.executeUpdate();
				try (var keys = insert.getGeneratedKeys()) {
					keys.next();
					first = keys.getLong(1);
				}
			}
			List<Long> ids = enqueue(5);
			assertThat(claimIdsUpdating(2)).isEqualTo(ids.subList(0, 2));
			assertThat(claimIdsUpdating(10)).isEqualTo(ids.subList(2, 5));
			open.commit();
			assertThat(claimIdsUpdating(10)).containsExactly(first);
		}
	}

	@Test
	void aJobThatSomebodyKeepsLockedKeepsNoOthersWaitingForLong() throws SQLException {
		List<Long> ids = enqueue(5);
		try (LockHolder holder = new LockHolder(schema())) {
			holder.lock("jobqueue_job", "id", ids.subList(2, 3));
			assertThat(claimIdsUpdating(10)).containsExactlyInAnyOrder(ids.get(0), ids.get(1), ids.get(3), ids.get(4));
		}
		assertThat(claimIdsUpdating(10)).containsExactly(ids.get(2));
	}

	@Test
	void suspectsAreReadBeforeTheyAreTaken() {
		List<Long> ids = enqueue(3);
		this.rows.set(ids.get(1), "state = 2, crashes = 1");
		List<ReadyRange> ranges = List.of(range("default", 4),
				new ReadyRange("default", 4, 0, Degree.FIRST, false, Duration.ZERO));
		assertThat(this.updating
			.claim(new ClaimRequest(SESSION, ranges, 3, Set.of(), Deadlines.always(DEADLINE), Load.empty(8))))
			.hasSize(3);
		assertThat(updates()).isZero();
		assertThat(ids.stream().map((id) -> this.rows.live(id).heldLimit())).doesNotContain(0);
	}

	@Test
	void aJobThatAnotherProgramMadeLookLikeASuspectIsReadBeforeItIsTaken() {
		List<Long> ids = enqueue(3);
		this.rows.set(ids.get(1), "crashes = 3");
		assertThat(claimIdsUpdating(10)).contains(ids.get(0), ids.get(2));
		assertThat(this.rows.sql("SELECT COUNT(*) FROM jobqueue_job WHERE state = 1").query(Long.class).single())
			.isEqualTo(this.store.heldBy(SESSION, true).size());
	}

	@Test
	void theRestOfAQueueIsTakenBehindTheLastJob() {
		List<Long> ids = enqueue(10);
		for (int start = 0; start < 10; start += 2) {
			assertThat(claimIdsUpdating(2)).isEqualTo(ids.subList(start, start + 2));
		}
		assertThat(claimIdsUpdating(2)).isEmpty();
	}

	@Test
	void whatAnotherWorkerTookInTheSameMicrosecondIsItsOwn() {
		List<Long> ids = enqueue(4);
		JdbcJobStore atOneTime = new JdbcJobStore(new Database(
				schema().pool((settings) -> settings.setConnectionInitSql("SET timestamp = 1893456000.123456"))),
				SETTINGS);
		for (int worker = 0; worker < 2; worker++) {
			assertThat(atOneTime.claim(
					ClaimRequests.any(SESSION + worker, List.of(range("default", 4)), 2, Deadlines.always(DEADLINE))))
				.extracting((job) -> job.claim().id())
				.isEqualTo(ids.subList(2 * worker, 2 * worker + 2));
		}
		assertThat(ids).extracting((id) -> this.rows.live(id).claimedAt())
			.containsOnly(this.rows.live(ids.get(0)).claimedAt());
	}

	@Test
	void severalRangesShareAClaim() {
		List<ReadyRange> ranges = List.of(range("a", 4), range("b", 4), range("c", 4));
		for (ReadyRange range : ranges) {
			for (int i = 0; i < (range.queue().equals("a") ? 2 : 40); i++) {
				enqueue(NewJob.of("any").queue(range.queue()));
			}
		}
		List<ClaimedJob> jobs = claimUpdating(ranges, 50, Deadlines.always(DEADLINE));
		assertThat(jobs).hasSize(50).extracting((job) -> job.claim().id()).doesNotHaveDuplicates();
		assertThat(this.store.heldBy(SESSION, true)).hasSize(50);
	}

	@Test
	void aClaimThatIsOpenLocksNoJobThatRuns() throws SQLException {
		assumeFalse(this.testDatabase == TestDatabase.MARIADB,
				"it locks jobs that became due at the same time, and whose index entries are not purged yet");
		List<Long> ids = enqueue(4);
		assertThat(claimIdsUpdating(2)).isEqualTo(ids.subList(0, 2));
		List<Long> free = new ArrayList<>();
		// Else the statement commits by itself.
		WatchedDataSource open = new WatchedDataSource(schema().pool((settings) -> settings.setAutoCommit(false)));
		open.beforeCommit((connection) -> {
			try (Connection other = schema().connect()) {
				other.setAutoCommit(false);
				for (long id : ids) {
					try (var select = other.prepareStatement(
							"SELECT id FROM jobqueue_job FORCE INDEX (PRIMARY) WHERE id = ? FOR UPDATE SKIP LOCKED")) {
						select.setLong(1, id);
						try (var row = select.executeQuery()) {
							if (row.next()) {
								free.add(id);
							}
						}
					}
				}
				other.rollback();
			}
		});
		JdbcJobStore fresh = new JdbcJobStore(new Database(open), SETTINGS);
		assertThat(
				fresh.claim(ClaimRequests.any(SESSION, List.of(range("default", 4)), 10, Deadlines.always(DEADLINE))))
			.hasSize(2);
		assertThat(free).isEqualTo(ids.subList(0, 2));
	}

	@Test
	void h2IsRefused() {
		assumeTrue(TestDatabase.H2.isAvailable(), TestDatabase.H2::whyNot);
		try (TestSchema h2 = TestDatabase.H2.create()) {
			Database database = new Database(h2.dataSource());
			assertThatExceptionOfType(UnsupportedDatabaseException.class)
				.isThrownBy(() -> new JdbcJobStore(database, SETTINGS))
				.withMessageContaining("update-limit");
		}
	}

}
