package io.jobqueue.worker;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

import com.zaxxer.hikari.HikariDataSource;
import io.jobqueue.Job;
import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.QueueMode;
import io.jobqueue.observe.Observed;
import io.jobqueue.observe.QueueObserver;
import io.jobqueue.store.Queues.Depth;
import io.jobqueue.test.ForEachDatabase;
import io.jobqueue.test.LogLines;
import io.jobqueue.test.LostClients;
import io.jobqueue.test.Thorough;
import io.jobqueue.test.WatchedDataSource;
import io.jobqueue.worker.WorkerSettings.Timing;
import io.jobqueue.worker.poll.ServedRanges;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

/**
 * What is different in a row-lock queue.
 */
@ForEachDatabase
class RowLockTests extends NodeTests {

	@Override
	boolean isAboutTheDatabase() {
		return true;
	}

	private final CountDownLatch started = new CountDownLatch(1);

	private final CountDownLatch mayEnd = new CountDownLatch(1);

	@BeforeEach
	void createLedger() {
		this.node.sql.execute("CREATE TABLE ledger (job_id BIGINT NOT NULL, node VARCHAR(100))");
	}

	@Override
	QueueMode mode() {
		Thorough.unlessOnMySql(this.testDatabase);
		return QueueMode.ROW_LOCK;
	}

	private long enqueueAndStart() throws Exception {
		this.node.handler("wait", (payload, job) -> {
			this.started.countDown();
			awaitUninterruptibly(this.mayEnd);
		}).start();
		long id = this.node.queue.enqueue("wait");
		await(this.started);
		return id;
	}

	private List<Long> unlocked() {
		return transaction().execute((status) -> this.node.sql
			.queryForList("SELECT id FROM jobqueue_job FOR UPDATE SKIP LOCKED", Long.class));
	}

	private Map<String, Object> row(String table) {
		return this.node.sql.queryForMap("SELECT * FROM " + table);
	}

	@Test
	void theRowStaysReadyAndLockedUntilTheJobEnds() throws Exception {
		long id = enqueueAndStart();
		assertThat(unlocked()).isEmpty();
		assertThat(row("jobqueue_job")).containsEntry("state", 0)
			.containsEntry("fence", 0L)
			.containsEntry("attempt", 0);
		Job running = this.node.job(id);
		assertThat(running.state()).isEqualTo(JobState.RUNNING);
		assertThat(running.attempt()).isEqualTo(1);
		assertThat(running.claimedAt()).isNotNull();
		Depth depth = this.node.stores.queues().depths().get(0);
		assertThat(depth.running()).isEqualTo(1);
		assertThat(depth.ready()).isZero();
		assertThat(depth.mode()).isEqualTo(QueueMode.ROW_LOCK);
		this.mayEnd.countDown();
		Job ended = this.node.await(id, JobState.SUCCEEDED);
		assertThat(ended.attempt()).isEqualTo(1);
		assertThat(ended.claimedAt()).isEqualTo(running.claimedAt());
		assertThat(row("jobqueue_archive")).containsEntry("fence", 1L)
			.containsEntry("session_id", this.node.worker().health().session());
		assertThat(this.node.count("jobqueue_start")).isZero();
	}

	@Test
	void aWorkerThatMustNotRunThemLeavesItsJobsToOthersFromTheMomentThatAQueueGetsTheMode() {
		this.node.stores.queues().setMode("default", QueueMode.STANDARD);
		this.node.settings = this.node.settings.withRowLockProblem("its pool is too small");
		this.node.handler("work", (payload, job) -> {
		}).start();
		this.node.await(this.node.queue.enqueue("work"), JobState.SUCCEEDED);
		try (LogLines lines = LogLines.of(ServedRanges.class)) {
			this.node.stores.queues().setMode("default", QueueMode.ROW_LOCK);
			long id = this.node.queue.enqueue("work");
			Awaitility.await()
				.untilAsserted(() -> assertThat(this.node.worker().health().leftOut()).containsExactly("default"));
			this.node.await(this.node.queue.enqueue(NewJob.of("work").queue("other")), JobState.SUCCEEDED);
			assertThat(this.node.job(id).state()).isEqualTo(JobState.READY);
			assertThat(lines.messages()).singleElement().asString().contains("'default'", "its pool is too small");
			this.node.stores.queues().setMode("default", QueueMode.STANDARD);
			this.node.await(id, JobState.SUCCEEDED);
		}
		assertThat(this.node.worker().health().leftOut()).isEmpty();
	}

	@Test
	void whoWantsToChangeARunningJobIsToldAtOnceThatItCannot() throws Exception {
		long id = enqueueAndStart();
		long other = this.node.queue.enqueue("nobody-runs-it");
		assertThat(this.node.queue.cancel(id)).isFalse();
		assertThat(this.node.queue.reschedule(id, Instant.now().plusSeconds(60))).isFalse();
		assertThat(this.node.queue.cancelAll("default", null)).isEqualTo(1);
		assertThat(this.node.job(other).state()).isEqualTo(JobState.CANCELLED);
		this.mayEnd.countDown();
		this.node.await(id, JobState.SUCCEEDED);
	}

	@Test
	void whatAHandlerWritesIsCommittedWithTheJobOrNotAtAll() {
		this.node.handler("post", (payload, job) -> {
			this.node.sql.update("INSERT INTO ledger VALUES (?, ?)", job.id(), "attempt " + job.attempt());
			if (job.attempt() == 1) {
				throw new IllegalStateException("after the write");
			}
		}).start();
		long id = this.node.queue.enqueue("post");
		Job job = this.node.await(id, JobState.SUCCEEDED);
		assertThat(this.node.sql.queryForList("SELECT node FROM ledger", String.class)).containsExactly("attempt 2");
		assertThat(job.attempt()).isEqualTo(2);
		assertThat(job.lastError().orElseThrow().attempt()).isEqualTo(1);
		assertThat(this.node.outcomes).containsExactly(Outcome.RETRIED, Outcome.SUCCEEDED);
	}

	/**
	 * Else another worker could find it lost between its failure and the end of its
	 * transaction.
	 */
	@Test
	void aJobThatFailsIsClaimedBeforeItsRowIsFree() {
		WatchedDataSource watched = new WatchedDataSource(this.node.dataSource);
		ThreadLocal<Boolean> hasFailed = ThreadLocal.withInitial(() -> false);
		Queue<Integer> states = new ConcurrentLinkedQueue<>();
		watched.afterRollback(() -> {
			if (hasFailed.get()) {
				states.add(stateSeenByOthers());
			}
		});
		long id = this.node.queue.enqueue("fail");
		try (TestNode worker = new TestNode(watched).handler("fail", (payload, job) -> {
			hasFailed.set(job.attempt() == 1);
			if (hasFailed.get()) {
				throw new IllegalStateException("once");
			}
		}).start()) {
			assertThat(worker.worker().isRunning()).isTrue();
			this.node.await(id, JobState.SUCCEEDED);
		}
		assertThat(states).isNotEmpty().containsOnly(1);
	}

	/** Not by Spring, whose transaction on this thread is not over yet. */
	private int stateSeenByOthers() {
		try (Connection connection = this.node.dataSource.getConnection();
				Statement statement = connection.createStatement();
				ResultSet row = statement.executeQuery("SELECT state FROM jobqueue_job")) {
			row.next();
			return row.getInt(1);
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Test
	void aJobThatIsSaidToRunAndDoesNotCanBeCancelled() {
		long id = this.node.queue.enqueue("nobody-runs-it");
		this.node.sql
			.update("INSERT INTO jobqueue_start (job_id, fence, session_id, connection_id, server, started_at, "
					+ "deadline_at) VALUES (?, 1, 42, 1, '', '2026-01-01', '2099-01-01')", id);
		assertThat(this.node.job(id).state()).isEqualTo(JobState.RUNNING);
		assertThat(this.node.queue.cancel(id)).as("its row is not locked").isTrue();
		assertThat(this.node.job(id).state()).isEqualTo(JobState.CANCELLED);
		this.node.handler("any", (payload, job) -> {
		}).start();
		this.node.await(this.node.queue.enqueue("any"), JobState.SUCCEEDED);
		Awaitility.await().until(() -> this.node.count("jobqueue_start") == 0);
	}

	@Test
	void severalNodesRunEveryJobOnce() throws Exception {
		try (TestNode second = anotherNode(); TestNode third = anotherNode()) {
			AtomicInteger observed = new AtomicInteger();
			for (TestNode one : List.of(this.node, second, third)) {
				one.observer = new CountingObserver(observed);
				one.handler("post", (payload, job) -> one.sql.update("INSERT INTO ledger VALUES (?, ?)", job.id(),
						"node " + System.identityHashCode(one)));
			}
			enqueue("post", 600);
			second.start();
			third.start();
			this.node.start();
			this.node.awaitEmpty();
			assertThat(this.node.count("ledger")).isEqualTo(600);
			assertThat(this.node.sql.queryForObject("SELECT COUNT(DISTINCT job_id) FROM ledger", Long.class))
				.isEqualTo(600);
			assertThat(this.node.count("jobqueue_start")).isZero();
			assertThat(this.node.count("jobqueue_error")).isZero();
			assertThat(observed).as("what another node has run before is no run").hasValue(600);
		}
	}

	private record CountingObserver(AtomicInteger runs) implements QueueObserver {

		@Override
		public Observed process(Processed job) {
			this.runs.incrementAndGet();
			return Observed.NONE;
		}

	}

	@Test
	void aJobWhoseConnectionIsLostRunsAgainAsASuspect() throws Exception {
		assumeFalse(this.testDatabase.isH2(), "H2 closes no connection by its number");
		AtomicInteger runs = new AtomicInteger();
		this.node.handler("wait", (payload, job) -> {
			if (runs.incrementAndGet() == 1) {
				this.node.sql.update("INSERT INTO ledger VALUES (?, 'lost')", job.id());
				this.started.countDown();
				await(this.mayEnd);
			}
			this.node.sql.update("INSERT INTO ledger VALUES (?, 'kept')", job.id());
		}).start();
		long id = this.node.queue.enqueue("wait");
		await(this.started);
		long connection = ((Number) row("jobqueue_start").get("connection_id")).longValue();
		this.node.sql.execute("KILL " + connection);
		Job job = this.node.await(id, JobState.SUCCEEDED);
		this.mayEnd.countDown();
		assertThat(job.lastError().orElseThrow().type()).isEqualTo("outage");
		assertThat(this.node.sql.queryForList("SELECT node FROM ledger", String.class)).containsExactly("kept");
		Awaitility.await().until(() -> this.node.worker().health().held() == 0);
		assertThat(this.node.count("ledger")).isEqualTo(1);
	}

	/**
	 * The pool has closed it, and the server has not heard of that.
	 */
	@Test
	void aJobWhoseConnectionIsLostForItsWorkerOnlyNeedsNotWaitForItsDeadline() {
		assumeFalse(this.testDatabase.isH2(), "H2 closes no connection by its number");
		LostClients lost = new LostClients(this.node.dataSource);
		AtomicInteger runs = new AtomicInteger();
		try (TestNode worker = new TestNode(lost)) {
			worker.handler("work", Duration.ofMinutes(5), (payload, job) -> {
				if (runs.incrementAndGet() == 1) {
					lost.lose();
				}
			}).start();
			long id = this.node.queue.enqueue("work");
			Awaitility.await().until(() -> endGone(worker) && this.node.job(id).state() == JobState.SUCCEEDED);
			assertThat(this.node.job(id).lastError()).isPresent();
			assertThat(runs).hasValue(2);
		}
	}

	/** As rescue does now and then. */
	private static boolean endGone(TestNode node) {
		return node.stores.rowLocks().endGone(UnaryOperator.identity()) >= 0;
	}

	@Test
	void aHandlerThatIsDeafToTheStopOfItsWorkerHasNotCrashed() throws Exception {
		assumeFalse(this.testDatabase.isH2(), "H2 closes no connection by its number");
		Timing quick = TestNode.QUICK;
		this.node.settings = this.node.settings.with(new Timing(quick.pollInterval(), quick.heartbeatInterval(),
				quick.sessionTimeout(), Duration.ofMillis(100)));
		long id = enqueueAndStart();
		this.node.worker().stop();
		assertThat(unlocked()).isEmpty();
		try (TestNode other = new TestNode(this.node.dataSource)) {
			other.handler("wait", (payload, job) -> {
			}).start();
			Awaitility.await().until(() -> endGone(other) && this.node.job(id).state() == JobState.SUCCEEDED);
			assertThat(this.node.job(id).lastError().orElseThrow().type()).isEqualTo("outage");
			assertThat(row("jobqueue_archive")).containsEntry("crashes", 0);
			assertThat(this.node.count("jobqueue_start")).isZero();
		}
		this.mayEnd.countDown();
	}

	@Test
	void whatRunsDoesNotWait() throws Exception {
		long first = this.node.queue.enqueue("wait");
		this.node.sql.update(this.node.database.constant("UPDATE jobqueue_job SET available_at = {now + -1 HOUR}"));
		this.node.handler("wait", (payload, job) -> {
			this.started.countDown();
			awaitUninterruptibly(this.mayEnd);
		}).slots(1).start();
		await(this.started);
		assertThat(this.node.stores.queues().depths().get(0).oldestAge()).isZero();
		long second = this.node.queue.enqueue("wait");
		this.node.sql.update(this.node.database
			.constant("UPDATE jobqueue_job SET available_at = {now + -1 MINUTE} WHERE id = " + second));
		assertThat(this.node.stores.queues().depths().get(0).oldestAge()).isBetween(Duration.ofMinutes(1),
				Duration.ofMinutes(30));
		this.mayEnd.countDown();
		this.node.await(first, JobState.SUCCEEDED);
	}

	/**
	 * What is left of its first start says that its session, should it end, has crashed.
	 */
	@Test
	void aJobThatHasLostItsConnectionAndThenFailsRunsAgain() throws Exception {
		assumeFalse(this.testDatabase.isH2(), "H2 closes no connection by its number");
		this.node.handler("wait", (payload, job) -> {
			if (this.started.getCount() > 0) {
				this.started.countDown();
				await(this.mayEnd);
			}
			if (job.attempt() == 1) {
				this.node.sql.update("INSERT INTO ledger VALUES (?, 'by a suspect')", job.id());
				throw new IllegalStateException("in the first attempt that counts");
			}
		}).start();
		long id = this.node.queue.enqueue("wait");
		await(this.started);
		this.node.sql.execute("KILL " + row("jobqueue_start").get("connection_id"));
		Awaitility.await().until(() -> this.node.count("jobqueue_error") == 2);
		this.mayEnd.countDown();
		assertThat(this.node.await(id, JobState.SUCCEEDED).attempt()).isEqualTo(2);
		assertThat(row("jobqueue_start")).containsEntry("freed", 1);
		assertThat(this.node.count("ledger")).as("a suspect runs in a transaction too").isZero();
		this.node.worker().stop();
		assertThat(this.node.count("jobqueue_start")).as("its worker has stopped, and not crashed").isZero();
	}

	@Test
	void theServerClosesTheConnectionOfAHostThatVanishedSoonAfterTheTimeout() throws Exception {
		assumeFalse(this.testDatabase.isH2(), "H2 has no such setting");
		AtomicInteger during = new AtomicInteger();
		this.node
			.handler("look", Duration.ofSeconds(100),
					(payload, job) -> during
						.set(this.node.sql.queryForObject("SELECT @@session.wait_timeout", Integer.class)))
			.slots(1)
			.start();
		this.node.await(this.node.queue.enqueue("look"), JobState.SUCCEEDED);
		assertThat(during).hasValue(130);
		for (int i = 0; i < 20; i++) {
			assertThat(this.node.sql.queryForObject("SELECT @@session.wait_timeout", Integer.class))
				.isGreaterThan(1_000);
		}
	}

	/** Else it would run elsewhere as well, though nothing is wrong with it. */
	@Test
	void theServerDoesNotCloseItBefore() {
		assumeFalse(this.testDatabase.isH2(), "H2 has no such setting");
		AtomicInteger during = new AtomicInteger();
		HikariDataSource impatient = schema().pool((config) -> config.setConnectionInitSql("SET wait_timeout = 50"));
		try (TestNode worker = new TestNode(impatient)) {
			worker
				.handler("look", Duration.ofSeconds(100),
						(payload, job) -> during
							.set(worker.sql.queryForObject("SELECT @@session.wait_timeout", Integer.class)))
				.start();
			this.node.await(this.node.queue.enqueue("look"), JobState.SUCCEEDED);
			assertThat(during).hasValue(130);
		}
		for (int i = 0; i < 20; i++) {
			assertThat(new JdbcTemplate(impatient).queryForObject("SELECT @@session.wait_timeout", Integer.class))
				.isEqualTo(50);
		}
	}

	@Test
	void aQueueIsServedInOneModeOnly() throws Exception {
		long id = enqueueAndStart();
		this.node.stores.queues().setMode("default", QueueMode.STANDARD);
		long second = this.node.queue.enqueue("wait");
		this.node.await(second, JobState.RUNNING);
		assertThat(this.node.sql.queryForList("SELECT state FROM jobqueue_job ORDER BY id", Integer.class))
			.containsExactly(0, 1);
		this.mayEnd.countDown();
		this.node.await(id, JobState.SUCCEEDED);
		this.node.await(second, JobState.SUCCEEDED);
		assertThat(this.node.count("jobqueue_error")).isZero();
	}

	@Test
	void aQueueInAModeOfALaterVersionIsLeftAloneAndTheOthersAreServed() {
		this.node.sql.update("INSERT INTO jobqueue_queue (name, mode) VALUES ('later', 9)");
		this.node.handler("post", (payload, job) -> {
		});
		long later = this.node.queue.enqueue(NewJob.of("post").queue("later"));
		this.node.start();
		this.node.await(this.node.queue.enqueue("post"), JobState.SUCCEEDED);
		assertThat(this.node.job(later).state()).isEqualTo(JobState.READY);
		assertThat(this.node.stores.queues().depths()).extracting(Depth::queue).contains("later");
		assertThat(this.node.worker().isRunning()).isTrue();
		this.node.stores.queues().setMode("later", QueueMode.STANDARD);
		this.node.await(later, JobState.SUCCEEDED);
	}

	/** As while somebody locks what it has to write. */
	@Test
	void aJobThatCannotBeginHasHadNoAttempt() throws Exception {
		assumeFalse(this.testDatabase.isH2(), "H2 has no such setting");
		long id = this.node.queue.enqueue(NewJob.of("post").maxAttempts(1));
		WatchedDataSource watched = new WatchedDataSource(pool("SET SESSION innodb_lock_wait_timeout = 1"));
		Thread operator = keepLocked("SELECT * FROM jobqueue_start WHERE job_id = ? FOR UPDATE", id);
		try (TestNode worker = new TestNode(watched).handler("post", (payload, job) -> {
		}).start()) {
			Awaitility.await().until(() -> begins(watched) >= 2);
			assertThat(worker.outcomes).isEmpty();
			this.mayEnd.countDown();
			this.node.await(id, JobState.SUCCEEDED);
			assertThat(this.node.count("jobqueue_error")).isZero();
		}
		operator.join();
	}

	/**
	 * Its slot has given it up, but its transaction goes on. What it writes in the end is
	 * rolled back, its connection is as it was, and the job is under suspicion.
	 */
	@Test
	void aJobWhoseHandlerIsDeafToItsInterruptRunsAgainAsASuspect() throws Exception {
		Thorough.unlessOnMySql(this.testDatabase);
		AtomicInteger runs = new AtomicInteger();
		this.node.handler("deaf", Duration.ofMillis(200), (payload, job) -> {
			if (runs.incrementAndGet() == 1) {
				this.started.countDown();
				awaitUninterruptibly(this.mayEnd);
				this.node.sql.update("INSERT INTO ledger VALUES (?, 'too late')", job.id());
			}
		}).start();
		long id = this.node.queue.enqueue("deaf");
		await(this.started);
		Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> this.node.worker().health().held() == 0);
		assertThat(unlocked()).isEmpty();
		this.mayEnd.countDown();
		Job job = this.node.await(id, JobState.SUCCEEDED);
		assertThat(job.lastError().orElseThrow().type()).isEqualTo("outage");
		assertThat(this.node.count("ledger")).isZero();
		assertThat(runs).hasValue(2);
		if (!this.testDatabase.isH2()) {
			for (int i = 0; i < 20; i++) {
				assertThat(this.node.sql.queryForObject("SELECT @@session.wait_timeout", Integer.class))
					.isGreaterThan(1_000);
			}
		}
	}

	@Test
	void aJobWhoseRowSomebodyKeepsLockedIsTriedNowAndThen() throws Exception {
		WatchedDataSource watched = new WatchedDataSource(this.node.dataSource);
		long id = this.node.queue.enqueue("post");
		Thread operator = keepLocked("SELECT id FROM jobqueue_job WHERE id = ? FOR UPDATE", id);
		try (TestNode worker = new TestNode(watched).handler("post", (payload, job) -> {
		}).start()) {
			Awaitility.await().until(() -> begins(watched) >= 2);
			assertThat(worker.worker().isRunning()).isTrue();
			assertThat(watched.executed().size()).as("statements in the second between two tries").isLessThan(400);
			this.mayEnd.countDown();
			this.node.await(id, JobState.SUCCEEDED);
		}
		operator.join();
	}

	/** Until {@code mayEnd}. */
	private Thread keepLocked(String select, long id) throws InterruptedException {
		CountDownLatch locked = new CountDownLatch(1);
		Thread operator = new Thread(() -> transaction().executeWithoutResult((status) -> {
			this.node.sql.queryForList(select, id);
			locked.countDown();
			awaitUninterruptibly(this.mayEnd);
		}));
		operator.start();
		await(locked);
		return operator;
	}

	private static long begins(WatchedDataSource watched) {
		return watched.executed().stream().filter((one) -> one.sql().startsWith("INSERT INTO jobqueue_start")).count();
	}

	@Test
	void aJobWhosePayloadIsGoneIsDeadInTheEnd() {
		this.node.handler("post", (payload, job) -> {
		}).start();
		this.node.sql.update("INSERT INTO jobqueue_job (type, large_payload, max_attempts) VALUES ('post', 1, 2)");
		Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.until(() -> this.node.count("jobqueue_archive WHERE state = 4") == 1);
		assertThat(this.node.count("jobqueue_error")).isEqualTo(2);
	}

	@Test
	void aJobThatFailsForGoodIsDead() {
		this.node.handler("fail", (payload, job) -> {
			throw new IllegalStateException("always");
		}).start();
		Job job = this.node.await(this.node.queue.enqueue(NewJob.of("fail").maxAttempts(2)), JobState.DEAD);
		assertThat(job.attempt()).isEqualTo(2);
		assertThat(this.node.count("jobqueue_error")).isEqualTo(2);
		assertThat(this.node.count("jobqueue_start")).isZero();
	}

}
