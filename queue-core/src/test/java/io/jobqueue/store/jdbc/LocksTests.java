package io.jobqueue.store.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import com.zaxxer.hikari.HikariDataSource;
import io.jobqueue.NewJob;
import io.jobqueue.store.ClaimRequest;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.EnqueuedJob;
import io.jobqueue.store.HeldJob;
import io.jobqueue.store.Line;
import io.jobqueue.test.TestDatabase;
import io.jobqueue.test.TestSchema;
import io.jobqueue.test.Together;
import io.jobqueue.test.WatchedDataSource;
import io.jobqueue.test.WatchedDataSource.Executed;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * What a claim locks, by which plan it finds its jobs, and how many rows the statements
 * read that run all the time, with 1, 1,000 and 1,000,000 ready jobs. MySQL shows the
 * locks of a transaction to others; the tables are filled once for each size.
 */
@Tag("slow")
@ParameterizedClass(name = "{0} ready jobs")
@ValueSource(ints = { 1, 1_000, 1_000_000 })
class LocksTests {

	private static final long SESSION = 7;

	private static final Line LINE = new Line("default", 4, false, false, Duration.ZERO);

	private static TestSchema schema;

	@Parameter
	int readyJobs;

	private final List<Long> extra = new ArrayList<>();

	private WatchedDataSource watched;

	private JdbcJobStore store;

	@BeforeParameterizedClassInvocation
	static void fill(int readyJobs) throws SQLException {
		assumeTrue(TestDatabase.MYSQL.isAvailable(), TestDatabase.MYSQL::whyNot);
		schema = TestDatabase.MYSQL.create();
		ReadyJobs.fill(schema, readyJobs);
	}

	private static void execute(String sql) throws SQLException {
		try (Connection connection = schema.connect(); PreparedStatement statement = connection.prepareStatement(sql)) {
			statement.execute();
		}
	}

	@AfterParameterizedClassInvocation
	static void dropSchema() {
		if (schema != null) {
			schema.close();
			schema = null;
		}
	}

	@BeforeEach
	void openStore() {
		this.watched = new WatchedDataSource(schema.dataSource());
		this.store = new JdbcJobStore(new Database(this.watched), StoreSettings.DEFAULT);
	}

	@AfterEach
	void giveBack() throws SQLException {
		execute("UPDATE jobqueue_job SET state = 0, session_id = 0 WHERE state = 1 AND session_id = " + SESSION);
		for (long id : this.extra) {
			execute("DELETE FROM jobqueue_job WHERE id = " + id);
		}
	}

	@ParameterizedTest(name = "last in first out: {0}")
	@ValueSource(booleans = { false, true })
	void aClaimLocksTheJobsThatItTakesAndNothingElse(boolean lifo) {
		Line line = new Line("default", 4, false, lifo, Duration.ZERO);
		assertClaimLocksOnlyWhatItTakes(line, 100, Math.min(100, this.readyJobs));
	}

	@Test
	void aClaimOfMoreThanIsDueLocksNoJobThatIsDelayed() {
		enqueueTail(5, Duration.ZERO);
		enqueueTail(5, Duration.ofHours(1));
		assertClaimLocksOnlyWhatItTakes(new Line("tail", 4, false, false, Duration.ZERO), 100, 5);
	}

	@Test
	void aClaimOfALineInWhichNothingIsDueLocksNothing() {
		enqueueTail(5, Duration.ofHours(1));
		assertClaimLocksOnlyWhatItTakes(new Line("tail", 4, false, false, Duration.ZERO), 100, 0);
	}

	@Test
	void aClaimLocksNoJobOfATypeThatIsLeftToOthers() {
		for (int i = 0; i < 5; i++) {
			enqueueExtra(this.store, NewJob.of("theirs").queue("tail"));
			enqueueExtra(this.store, NewJob.of("ours").queue("tail"));
		}
		List<RowLock> locks = new ArrayList<>();
		this.watched.beforeCommit((connection) -> locks.addAll(RowLock.of(connection, schema)));
		Set<Long> claimed = ids(
				this.store.claim(new ClaimRequest(SESSION, List.of(new Line("tail", 4, false, false, Duration.ZERO)),
						100, Set.of("theirs"), (type, timeout) -> Duration.ofMinutes(1))));
		assertThat(claimed).hasSize(5);
		assertThat(locks.stream().filter((lock) -> lock.type().equals("RECORD")).map(RowLock::id))
			.hasSameElementsAs(claimed);
	}

	private void assertClaimLocksOnlyWhatItTakes(Line line, int limit, int expected) {
		List<RowLock> locks = new ArrayList<>();
		this.watched.beforeCommit((connection) -> locks.addAll(RowLock.of(connection, schema)));
		Set<Long> claimed = ids(claim(this.store, List.of(line), limit));
		assertThat(claimed).hasSize(expected);
		List<RowLock> ofRows = locks.stream().filter((lock) -> lock.type().equals("RECORD")).toList();
		assertThat(ofRows).as("no gaps").allMatch((lock) -> lock.mode().equals("X,REC_NOT_GAP"));
		assertThat(ofRows).allMatch((lock) -> lock.table().equals("jobqueue_job"));
		assertThat(ofRows).extracting(RowLock::index)
			.as("the claim index and the rows")
			.isSubsetOf("jobqueue_job_claim", "PRIMARY");
		for (String index : List.of("jobqueue_job_claim", "PRIMARY")) {
			assertThat(ofRows.stream().filter((lock) -> lock.index().equals(index)).map(RowLock::id)).as(index)
				.containsOnlyOnceElementsOf(claimed)
				.hasSameSizeAs(claimed);
		}
		assertThat(locks.stream().filter((lock) -> lock.type().equals("TABLE")).map(RowLock::mode))
			.allMatch((mode) -> mode.equals("IX") || mode.equals("IS"));
	}

	@Test
	void whileAClaimIsOpenOthersClaimTheNextJobsAndEnqueueWithoutWaiting() {
		Database database = new Database(schema.pool("sessionVariables=innodb_lock_wait_timeout=1"));
		JdbcJobStore other = new JdbcJobStore(database, StoreSettings.DEFAULT);
		List<Long> othersJobs = new ArrayList<>();
		AtomicBoolean first = new AtomicBoolean(true);
		this.watched.beforeCommit((connection) -> {
			if (first.getAndSet(false)) {
				othersJobs.addAll(Together.elsewhere(() -> {
					for (int priority = 0; priority <= 9; priority++) {
						enqueueExtra(other, NewJob.of("any").queue("tail").priority(priority));
						enqueueExtra(other, NewJob.of("any").priority(priority));
					}
					return ids(claim(other, List.of(LINE), 100));
				}));
			}
		});
		Set<Long> claimed = ids(claim(this.store, List.of(LINE), 100));
		assertThat(first).isFalse();
		assertThat(claimed).hasSize(Math.min(100, this.readyJobs)).doesNotContainAnyElementsOf(othersJobs);
		assertThat(othersJobs).as("the next ones, or the new one").hasSize((this.readyJobs > 1) ? 100 : 1);
		assertThat(database.conflicts()).isZero();
	}

	@ParameterizedTest(name = "last in first out: {0}")
	@ValueSource(booleans = { false, true })
	void aClaimReadsItsIndexInOrderAndTakesByPrimaryKey(boolean lifo) throws SQLException {
		claim(this.store, List.of(new Line("default", 4, false, lifo, Duration.ZERO)), 100);
		List<Executed> selects = statements("SELECT id, type, queue");
		assertThat(selects).hasSize(1);
		for (Plan plan : explain(selects.get(0))) {
			assertThat(plan.extra()).doesNotContain("filesort", "temporary");
			if ("jobqueue_job".equals(plan.table())) {
				assertThat(plan.key()).isEqualTo("jobqueue_job_claim");
			}
		}
		List<Executed> updates = statements("UPDATE jobqueue_job");
		assertThat(updates).hasSize(1);
		assertThat(explain(updates.get(0))).extracting(Plan::key).containsExactly("PRIMARY");
	}

	private List<Executed> statements(String start) {
		return this.watched.executed().stream().filter((statement) -> statement.sql().startsWith(start)).toList();
	}

	private static List<Plan> explain(Executed executed) throws SQLException {
		List<Plan> plans = new ArrayList<>();
		try (Connection connection = schema.connect();
				PreparedStatement statement = executed.prepare(connection, "EXPLAIN FORMAT=TRADITIONAL ");
				ResultSet row = statement.executeQuery()) {
			while (row.next()) {
				plans.add(
						new Plan(row.getString("table"), row.getString("key"), String.valueOf(row.getString("Extra"))));
			}
		}
		assertThat(plans).isNotEmpty();
		return plans;
	}

	/**
	 * With a thousand jobs it does not matter how they are read.
	 */
	@Test
	void listingTheLinesReadsAFewRowsOfEach() {
		assertThat(rowsRead((cheap) -> {
			List<Line> lines = cheap.lines();
			assertThat(lines).anyMatch((line) -> line.priority() == 4 && line.isDue());
			assertThat(lines.stream().anyMatch((line) -> line.priority() == 9)).isEqualTo(this.readyJobs >= 10);
		})).isLessThan((this.readyJobs > 1_000) ? 100 : 5_000);
	}

	@Test
	void aClaimReadsHardlyMoreThanItTakes() {
		assertThat(rowsRead(
				(cheap) -> assertThat(claim(cheap, List.of(LINE), 100)).hasSize(Math.min(100, this.readyJobs))))
			.isLessThan(1_000);
	}

	@Test
	void aClaimReadsNoneOfTheDelayedJobs() {
		assertThat(rowsRead(
				(cheap) -> assertThat(claim(cheap, List.of(new Line("default", 9, false, false, Duration.ZERO)), 100))
					.isEmpty()))
			.isLessThan(10);
	}

	@Test
	void findingWhomToRescueReadsRunningJobsOnly() {
		assertThat(rowsRead((cheap) -> assertThat(cheap.overdue(100)).hasSize(50).allMatch(HeldJob::orphaned)))
			.isLessThan(1_000);
		assertThat(rowsRead((cheap) -> assertThat(cheap.overdue(10)).hasSize(10))).isLessThan(500);
	}

	@Test
	void listingWhatASessionHoldsReadsRunningJobsOnly() {
		assertThat(rowsRead((cheap) -> assertThat(cheap.heldBy(ReadyJobs.SESSION)).hasSize(50))).isLessThan(1_000);
	}

	@Test
	void expiringReadsExpiredJobsOnly() throws SQLException {
		assertThat(rowsRead((cheap) -> assertThat(cheap.expire(100)).isZero())).isLessThan(10);
		enqueueTail(20, Duration.ofHours(1));
		execute("UPDATE jobqueue_job SET expires_at = '2025-01-01 00:00:00' WHERE state = 0 AND queue = 'tail'");
		assertThat(rowsRead((cheap) -> assertThat(cheap.expire(100)).isEqualTo(20))).isLessThan(500);
	}

	/**
	 * Counts the rows that the server's storage engine hands over for some calls, on a
	 * pool of one connection, to which the counters belong.
	 */
	private static long rowsRead(Consumer<JdbcJobStore> calls) {
		try (HikariDataSource single = schema.pool((settings) -> settings.setMaximumPoolSize(1))) {
			Database database = new Database(single);
			JdbcJobStore store = new JdbcJobStore(database, StoreSettings.DEFAULT);
			long before = handlerReads(database);
			calls.accept(store);
			return handlerReads(database) - before;
		}
	}

	private static long handlerReads(Database database) {
		return database.template()
			.query("SHOW SESSION STATUS LIKE 'Handler_read%'", (row, number) -> row.getLong(2))
			.stream()
			.mapToLong(Long::longValue)
			.sum();
	}

	/**
	 * Enqueues to a queue beside the one that is filled, until the end of the test.
	 */
	private void enqueueTail(int jobs, Duration delay) {
		for (int i = 0; i < jobs; i++) {
			enqueueExtra(this.store, NewJob.of("any").queue("tail").delay(delay));
		}
	}

	private void enqueueExtra(JdbcJobStore store, NewJob job) {
		this.extra.addAll(store.enqueue(List.of(new EnqueuedJob(job, null))));
	}

	private static List<ClaimedJob> claim(JdbcJobStore store, List<Line> lines, int limit) {
		return store.claim(new ClaimRequest(SESSION, lines, limit, (type, timeout) -> Duration.ofMinutes(1)));
	}

	private static Set<Long> ids(List<ClaimedJob> jobs) {
		return jobs.stream().map((job) -> job.claim().id()).collect(Collectors.toSet());
	}

	private record Plan(String table, String key, String extra) {

	}

}
