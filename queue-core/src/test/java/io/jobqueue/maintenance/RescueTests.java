package io.jobqueue.maintenance;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.stream.IntStream;

import ch.qos.logback.classic.spi.ILoggingEvent;
import io.jobqueue.Job;
import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.PayloadFormat;
import io.jobqueue.database.Database;
import io.jobqueue.store.Audit;
import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Deadlines;
import io.jobqueue.store.Finish;
import io.jobqueue.store.LockWaits;
import io.jobqueue.store.MaintenanceStore;
import io.jobqueue.store.PayloadTypes;
import io.jobqueue.store.PayloadWriter;
import io.jobqueue.store.QueueListeners;
import io.jobqueue.store.ReadyRange;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.store.StoredJobQueue;
import io.jobqueue.store.WorkerSessions.NewSession;
import io.jobqueue.store.jdbc.JdbcJobStore;
import io.jobqueue.store.jdbc.ReadAgenda;
import io.jobqueue.store.jdbc.JdbcQueues;
import io.jobqueue.store.jdbc.JdbcWorkerSessions;
import io.jobqueue.store.jdbc.rowlock.JdbcRowLocks;
import io.jobqueue.test.LogLines;
import io.jobqueue.test.ClaimRequests;
import io.jobqueue.test.TestDatabase;
import io.jobqueue.test.TestSchema;

import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.dao.CannotAcquireLockException;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * What becomes of the jobs of workers that died.
 */
@ParameterizedClass
@EnumSource(TestDatabase.class)
class RescueTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(15);

	private final TestDatabase server;

	private final AtomicLong clock = new AtomicLong(1);

	private TestSchema schema;

	private JdbcTemplate sql;

	private JdbcJobStore store;

	private JdbcWorkerSessions sessions;

	private StoredJobQueue queue;

	private Rescue rescue;

	RescueTests(TestDatabase server) {
		this.server = server;
	}

	@BeforeEach
	void create() {
		assumeTrue(this.server.isAvailable(), this.server::whyNot);
		this.schema = this.server.create();
		this.sql = new JdbcTemplate(this.schema.dataSource());
		Database database = new Database(this.schema.dataSource());
		this.store = new JdbcJobStore(database, StoreSettings.DEFAULT);
		this.sessions = new JdbcWorkerSessions(database);
		this.queue = new StoredJobQueue(this.store, new JdbcQueues(database), null,
				new PayloadWriter(PayloadFormat.text(), PayloadTypes.UNKNOWN, 1000), new QueueListeners(),
				Audit.none());
		this.rescue = rescue(database, this.store);
	}

	private Rescue rescue(Database database, MaintenanceStore jobs) {
		return new Rescue(
				new Rescue.Source(new ReadAgenda(database), jobs, this.sessions,
						new JdbcRowLocks(new Database(this.schema.dataSource()), true)),
				new Rescue.Settings(Duration.ofSeconds(5), TIMEOUT), this.clock::get, new Random(1));
	}

	@AfterEach
	void close() {
		if (this.schema != null) {
			this.schema.close();
		}
	}

	private void beInTouch() {
		for (int i = 0; i < 4; i++) {
			this.clock.addAndGet(Duration.ofSeconds(5).toNanos());
			this.rescue.runOnce();
		}
	}

	private int rescueRound() {
		this.clock.addAndGet(Duration.ofSeconds(5).toNanos());
		return this.rescue.runOnce();
	}

	private long openSession() {
		return this.sessions.open(new NewSession("worker", 4, List.of(), List.of()), TIMEOUT);
	}

	private void crash(long session) {
		this.sql.update("UPDATE jobqueue_session SET expires_at = '2001-01-01 00:00:00' WHERE id = ?", session);
	}

	private List<ClaimedJob> claim(long session, boolean suspects) {
		List<ReadyRange> ranges = this.store.ready(0, Set.of(), false)
			.ranges()
			.stream()
			.filter((line) -> line.isSuspect() == suspects)
			.toList();
		return this.store.claim(ClaimRequests.any(session, ranges, 500, Deadlines.always(Duration.ofHours(1))));
	}

	@Test
	void theJobsOfADeadWorkerComeBackUncountedAndUnderSuspicion() {
		beInTouch();
		long alive = openSession();
		long dead = openSession();
		long rescued = this.queue.enqueue("work");
		claim(dead, false);
		long kept = this.queue.enqueue("work");
		claim(alive, false);
		assertThat(rescueRound()).isZero();
		crash(dead);
		assertThat(rescueRound()).isEqualTo(1);
		Job job = this.queue.find(rescued).orElseThrow();
		assertThat(job.state()).isEqualTo(JobState.READY);
		assertThat(job.attempt()).isZero();
		assertThat(job.crashes()).isEqualTo(1);
		assertThat(job.lastError().orElseThrow().type()).isEqualTo("crash");
		assertThat(this.queue.find(kept).orElseThrow().state()).isEqualTo(JobState.RUNNING);
		assertThat(this.sessions.list()).hasSize(1);
		assertThat(this.store.ready(0, Set.of(), false).ranges()).singleElement().matches(ReadyRange::isSuspect);
	}

	@Test
	void aJobThatKillsItsWorkersDiesAloneAndTakesNoInnocentWithIt() {
		beInTouch();
		List<Long> ids = this.queue.enqueueAll(IntStream.range(0, 500).mapToObj((i) -> NewJob.of("work")).toList());
		long poison = ids.get(123);
		int workers = 0;
		while (this.store.ready(0, Set.of(), false).ranges().stream().anyMatch(ReadyRange::isDue)) {
			assertThat(++workers).as("workers used").isLessThan(1000);
			long session = openSession();
			boolean suspects = this.store.ready(0, Set.of(), false).ranges().stream().anyMatch(ReadyRange::isSuspect);
			List<ClaimedJob> held = claim(session, suspects);
			if (held.stream().anyMatch((job) -> job.claim().id() == poison)) {
				crash(session);
				rescueRound();
			}
			else {
				this.store.finish(held.stream().map((job) -> new Finish.Ack(job.claim())).toList());
				this.sessions.close(session);
			}
		}
		Job dead = this.queue.find(poison).orElseThrow();
		assertThat(dead.state()).isEqualTo(JobState.DEAD);
		assertThat(dead.lastError().orElseThrow().type()).isEqualTo("crash");
		assertThat(this.sql.queryForObject("SELECT COUNT(*) FROM jobqueue_archive WHERE state = 3", Long.class))
			.isEqualTo(499);
		assertThat(this.sql.queryForObject("SELECT COUNT(*) FROM jobqueue_archive WHERE state = 4", Long.class))
			.isEqualTo(1);
	}

	@Test
	void aJobPastItsDeadlineCountsItsAttempt() {
		beInTouch();
		long session = openSession();
		long id = this.queue.enqueue(NewJob.of("hang").maxAttempts(2));
		for (int attempt = 1; attempt <= 2; attempt++) {
			this.sql.update("UPDATE jobqueue_job SET available_at = '2001-01-01 00:00:00'");
			claim(session, false);
			this.sql.update("UPDATE jobqueue_job SET deadline_at = '2001-01-01 00:00:00'");
			assertThat(rescueRound()).isEqualTo(1);
		}
		Job job = this.queue.find(id).orElseThrow();
		assertThat(job.state()).isEqualTo(JobState.DEAD);
		assertThat(job.attempt()).isEqualTo(2);
		assertThat(job.lastError().orElseThrow().type()).isEqualTo("timeout");
	}

	@Test
	void afterAnOutageItWaitsForOneSessionTimeout() {
		beInTouch();
		long session = openSession();
		this.queue.enqueue("work");
		claim(session, false);
		crash(session);
		// The database was away, or froze: no round ended for a minute.
		this.clock.addAndGet(Duration.ofMinutes(1).toNanos());
		assertThat(this.rescue.runOnce()).isZero();
		assertThat(rescueRound()).isZero();
		assertThat(rescueRound()).isZero();
		assertThat(rescueRound()).isEqualTo(1);
	}

	@Test
	void aRoundThatFailsIsAnOutageToo() {
		beInTouch();
		long session = openSession();
		this.queue.enqueue("work");
		claim(session, false);
		crash(session);
		this.sql.execute("ALTER TABLE jobqueue_job RENAME TO jobqueue_job_away");
		assertThatExceptionOfType(DataAccessException.class).isThrownBy(this::rescueRound);
		this.sql.execute("ALTER TABLE jobqueue_job_away RENAME TO jobqueue_job");
		assertThat(rescueRound()).isZero();
		assertThat(rescueRound()).isZero();
		assertThat(rescueRound()).isEqualTo(1);
	}

	/**
	 * The server's clock is set an hour ahead, for everybody who asks it. Real time
	 * passes as before.
	 */
	@Test
	void aClockThatJumpsAheadEndsNoSessionAndNoAttempt() {
		assumeTrue(!this.server.isH2(), "H2 has the machine's own clock");
		DelegatingDataSource database = new DelegatingDataSource(this.schema.dataSource());
		this.store = new JdbcJobStore(new Database(database), StoreSettings.DEFAULT);
		this.sessions = new JdbcWorkerSessions(new Database(database));
		this.rescue = rescue(new Database(database), this.store);
		long session = openSession();
		long id = this.queue.enqueue("any");
		assertThat(claim(session, false)).hasSize(1);
		this.sql.update("UPDATE jobqueue_job SET deadline_at = TIMESTAMPADD(MINUTE, 10, claimed_at)");
		beInTouch();
		this.sessions.disconnect();
		database.setTargetDataSource(this.schema
			.pool((settings) -> settings.setConnectionInitSql("SET timestamp = UNIX_TIMESTAMP() + 3600")));
		for (int i = 0; i < 20; i++) {
			assertThat(rescueRound()).isZero();
			assertThat(this.sessions.heartbeat(session, 1, TIMEOUT)).isTrue();
		}
		assertThat(this.store.find(id).orElseThrow().state()).isEqualTo(JobState.RUNNING);
		this.clock.addAndGet(Duration.ofMinutes(10).toNanos());
		beInTouch();
		assertThat(this.store.find(id).orElseThrow().state()).as("its deadline has passed in truth")
			.isEqualTo(JobState.READY);
		this.sessions.disconnect();
	}

	@Test
	void aHeartbeatInTimeKeepsTheSession() {
		beInTouch();
		long session = openSession();
		this.queue.enqueue("work");
		claim(session, false);
		crash(session);
		assertThat(this.sessions.heartbeat(session, 1, TIMEOUT)).isTrue();
		assertThat(rescueRound()).isZero();
		this.sessions.disconnect();
	}

	@Test
	void jobsThatAreLockedKeepNobodyElseFromBeingRescued() throws SQLException {
		assumeFalse(this.server.isH2(), "it waits for locks");
		beInTouch();
		long session = openSession();
		List<Long> ids = this.queue.enqueueAll(IntStream.range(0, 450).mapToObj((i) -> NewJob.of("work")).toList());
		assertThat(claim(session, false)).hasSize(450);
		crash(session);
		try (Connection holder = this.schema.connect()) {
			lockUpTo(holder, ids.get(219));
			assertThat(rescueRound()).isEqualTo(230);
			assertThat(rescueRound()).isZero();
			holder.rollback();
		}
		assertThat(rescueRound()).isEqualTo(220);
		assertThat(this.rescue.rescued()).isEqualTo(450);
	}

	/**
	 * Somebody has locked the ranges of ready jobs, so that no row can be put there.
	 */
	@Test
	void jobsThatCannotBeMadeReadyBecauseOfALockDoNotDie() {
		List<Long> ids = heldByADeadWorker(10);
		AtomicBoolean locked = new AtomicBoolean(true);
		List<LockWaits> waits = rescueBehindLocks((verdict) -> locked.get() && verdict instanceof Finish.Rescue);
		List<String> lines = logOf(WriteVerdicts.class, this::beInTouch);
		assertThat(lines).as("said once")
			.singleElement(InstanceOfAssertFactories.STRING)
			.startsWith("10 job(s) could not be rescued together, the first of them job " + ids.get(0));
		assertThat(ids).allMatch((id) -> this.queue.find(id).orElseThrow().state() == JobState.RUNNING);
		assertThat(waits).as("all together, then two, in each of the two rounds")
			.hasSize(6)
			.containsOnly(LockWaits.SHORT);
		locked.set(false);
		assertThat(rescueRound()).isEqualTo(10);
	}

	@Test
	void jobsThatALockStandsInTheWayOfKeepNobodyElse() {
		List<Long> ids = heldByADeadWorker(10);
		rescueBehindLocks((verdict) -> verdict.claim().id() <= ids.get(2));
		for (int rounds = 0; rounds < 20; rounds++) {
			rescueRound();
		}
		assertThat(ids.subList(3, 10)).allMatch((id) -> this.queue.find(id).orElseThrow().state() == JobState.READY);
		assertThat(ids.subList(0, 3)).allMatch((id) -> this.queue.find(id).orElseThrow().state() == JobState.RUNNING);
	}

	/**
	 * As by who ends whatever takes long.
	 */
	@Test
	void aJobWhoseRescueWasKilledDoesNotDie() {
		long id = heldByADeadWorker(1).get(0);
		AtomicBoolean killed = new AtomicBoolean(true);
		rescueWhere((verdict) -> killed.get() && verdict instanceof Finish.Rescue,
				new UncategorizedSQLException("update", null, new SQLException("interrupted", "70100", 1317)));
		beInTouch();
		assertThat(this.queue.find(id).orElseThrow().state()).isEqualTo(JobState.RUNNING);
		killed.set(false);
		assertThat(rescueRound()).isEqualTo(1);
	}

	/**
	 * Its handler has returned, but its result cannot be committed.
	 */
	@Test
	void aJobWhoseDeadlineWasDroppedBelongsToItsWorkerForAsLongAsThatLives() {
		beInTouch();
		long session = openSession();
		this.queue.enqueueAll(List.of(NewJob.of("work"), NewJob.of("work")));
		List<Claim> claims = claim(session, false).stream().map(ClaimedJob::claim).toList();
		this.sql.update("UPDATE jobqueue_job SET deadline_at = '2001-01-01 00:00:00'");
		Claim stale = new Claim(claims.get(1).id(), claims.get(1).fence() - 1, session);
		this.store.dropDeadlines(List.of(claims.get(0), stale));
		assertThat(rescueRound()).as("the other one").isEqualTo(1);
		assertThat(this.queue.find(claims.get(0).id()).orElseThrow().state()).isEqualTo(JobState.RUNNING);
		crash(session);
		assertThat(rescueRound()).isEqualTo(1);
		assertThat(this.queue.find(claims.get(0).id()).orElseThrow().state()).isEqualTo(JobState.READY);
	}

	private List<Long> heldByADeadWorker(int jobs) {
		beInTouch();
		long session = openSession();
		List<Long> ids = this.queue.enqueueAll(IntStream.range(0, jobs).mapToObj((i) -> NewJob.of("work")).toList());
		assertThat(claim(session, false)).hasSize(jobs);
		crash(session);
		return ids;
	}

	/**
	 * Rescues from now on where others have locked what is to be written.
	 * @param locked which verdicts cannot be written
	 * @return how long each try that failed was to wait
	 */
	private List<LockWaits> rescueBehindLocks(Predicate<Finish> locked) {
		return rescueWhere(locked, new CannotAcquireLockException("update", new SQLException("waited", "40001", 1205)));
	}

	private List<LockWaits> rescueWhere(Predicate<Finish> cannotBeWritten, DataAccessException failure) {
		List<LockWaits> waits = new ArrayList<>();
		MaintenanceStore behindLocks = (MaintenanceStore) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { MaintenanceStore.class }, (proxy, called, arguments) -> {
					if (called.getName().equals("finish") && ((Collection<?>) arguments[0]).stream()
						.map(Finish.class::cast)
						.anyMatch(cannotBeWritten)) {
						waits.add((LockWaits) arguments[1]);
						throw failure;
					}
					return called.invoke(this.store, arguments);
				});
		this.rescue = rescue(new Database(this.schema.dataSource()), behindLocks);
		return waits;
	}

	private static void lockUpTo(Connection holder, long id) throws SQLException {
		holder.setAutoCommit(false);
		holder.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
		try (Statement statement = holder.createStatement()) {
			statement.executeQuery("SELECT id FROM jobqueue_job WHERE id <= " + id + " ORDER BY id FOR UPDATE");
		}
	}

	@Test
	void aJobIsReportedAsDeadOnlyOnceItIs() throws SQLException {
		assumeFalse(this.server.isH2(), "it waits for locks");
		beInTouch();
		long id = this.queue.enqueue("work");
		claim(-1, false);
		this.sql.update("UPDATE jobqueue_job SET crashes = 3, held_limit = 1");
		try (Connection holder = this.schema.connect()) {
			lockUpTo(holder, id);
			assertThat(logOf(Rescue.class, this::rescueRound)).isEmpty();
			holder.rollback();
		}
		assertThat(logOf(Rescue.class, this::rescueRound)).hasSize(2)
			.anyMatch((line) -> line.contains("1 job(s) rescued"))
			.anyMatch((line) -> line.contains("job " + id + " is dead"));
	}

	private static List<String> logOf(Class<?> source, Runnable work) {
		try (LogLines lines = LogLines.of(source)) {
			work.run();
			return lines.events().stream().map(ILoggingEvent::getFormattedMessage).toList();
		}
	}

}
