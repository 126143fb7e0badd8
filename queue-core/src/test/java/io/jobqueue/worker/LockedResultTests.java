package io.jobqueue.worker;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import io.jobqueue.JobState;
import io.jobqueue.PermanentJobException;
import io.jobqueue.store.JobStore;
import io.jobqueue.test.ForEachDatabase;
import io.jobqueue.test.Thorough;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.dao.DataAccessResourceFailureException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

/**
 * A running job whose row somebody keeps locked, as an operator does whose transaction is
 * still open.
 */
@ForEachDatabase
class LockedResultTests extends NodeTests {

	@Override
	boolean isAboutTheDatabase() {
		return true;
	}

	@BeforeEach
	void skipWhatTakesLong() {
		Thorough.unlessOnMySql(this.testDatabase);
	}

	@Test
	void doesNotHoldUpTheResultsOfOthersAndIsCommittedLater() throws Exception {
		assumeFalse(this.testDatabase.isH2(), "H2 locks differently");
		CountDownLatch running = new CountDownLatch(4);
		CountDownLatch release = new CountDownLatch(1);
		this.node.handler("work", (payload, job) -> {
			running.countDown();
			release.await();
		}).start();
		List<Long> ids = enqueue("work", 4);
		await(running);
		try (Connection operator = this.node.dataSource.getConnection()) {
			operator.setAutoCommit(false);
			try (Statement statement = operator.createStatement()) {
				statement.execute("SELECT * FROM jobqueue_job WHERE id = " + ids.get(0) + " FOR UPDATE");
			}
			release.countDown();
			for (long id : ids.subList(1, 4)) {
				this.node.await(id, JobState.SUCCEEDED);
			}
			Awaitility.await()
				.until(() -> this.node.worker()
					.health()
					.problem()
					.equals("the results of 1 job(s) cannot be committed"));
			assertThat(this.node.job(ids.get(0)).state()).isEqualTo(JobState.RUNNING);
			operator.rollback();
		}
		this.node.await(ids.get(0), JobState.SUCCEEDED);
		Awaitility.await().until(() -> this.node.worker().health().problem().isEmpty());
		Awaitility.await().until(() -> this.node.outcomes.size() == 4);
		assertThat(this.node.outcomes).containsOnly(Outcome.SUCCEEDED);
	}

	@Test
	void asManyAsThereAreSlotsDoNotStopTheWorker() throws Exception {
		assumeFalse(this.testDatabase.isH2(), "H2 locks differently");
		CountDownLatch running = new CountDownLatch(2);
		CountDownLatch release = new CountDownLatch(1);
		this.node.slots(2).handler("locked", (payload, job) -> {
			running.countDown();
			release.await();
		}).handler("other", (payload, job) -> {
		}).start();
		List<Long> locked = enqueue("locked", 2);
		await(running);
		try (Connection operator = this.node.dataSource.getConnection()) {
			operator.setAutoCommit(false);
			try (Statement statement = operator.createStatement()) {
				for (long id : locked) {
					statement.execute("SELECT * FROM jobqueue_job WHERE id = " + id + " FOR UPDATE");
				}
			}
			release.countDown();
			for (long id : enqueue("other", 20)) {
				this.node.await(id, JobState.SUCCEEDED);
			}
			assertThat(locked).allMatch((id) -> this.node.job(id).state() == JobState.RUNNING);
			operator.rollback();
		}
		this.node.awaitEmpty();
	}

	/**
	 * As by a report at REPEATABLE READ: an INSERT cannot pass over a range that is
	 * locked.
	 */
	@Test
	void whereDeadJobsCannotBeArchivedOthersEndAllTheSame() throws Exception {
		assumeFalse(this.testDatabase.isH2(), "H2 locks differently");
		this.node.close();
		this.node = anotherNode("SET SESSION innodb_lock_wait_timeout = 6");
		CountDownLatch running = new CountDownLatch(8);
		CountDownLatch release = new CountDownLatch(1);
		this.node.slots(8).handler("dies", (payload, job) -> {
			throw new PermanentJobException("for a test");
		}).handler("dies-later", (payload, job) -> {
			running.countDown();
			release.await();
			throw new PermanentJobException("for a test");
		}).handler("work", (payload, job) -> {
			running.countDown();
			release.await();
		}).start();
		// The range before the first dead job is where succeeded ones are put.
		this.node.await(enqueue("dies", 1).get(0), JobState.DEAD);
		this.node.await(enqueue("dies", 1).get(0), JobState.DEAD);
		List<Long> dead = enqueue("dies-later", 3);
		List<Long> work = enqueue("work", 5);
		await(running);
		try (Connection report = this.node.dataSource.getConnection()) {
			report.setAutoCommit(false);
			report.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
			try (Statement statement = report.createStatement()) {
				statement
					.execute("SELECT * FROM jobqueue_archive FORCE INDEX (jobqueue_archive_finished) WHERE state = 4 "
							+ "AND finished_at = (SELECT MAX(finished_at) FROM (SELECT finished_at FROM jobqueue_archive) a) "
							+ "FOR UPDATE");
			}
			release.countDown();
			for (long id : work) {
				this.node.await(id, JobState.SUCCEEDED);
			}
			Awaitility.await()
				.atMost(Duration.ofSeconds(60))
				.until(() -> this.node.worker()
					.health()
					.problem()
					.equals("the results of 3 job(s) cannot be committed"));
			for (long id : enqueue("work", 20)) {
				this.node.await(id, JobState.SUCCEEDED);
			}
			Awaitility.await("no deadlines for them")
				.atMost(Duration.ofSeconds(60))
				.until(() -> this.node.sql.queryForObject(
						"SELECT COUNT(*) FROM jobqueue_job WHERE state = 1 AND deadline_at > '9999-01-01 00:00:00'",
						Long.class) == 3);
			assertThat(dead).allMatch((id) -> this.node.job(id).state() == JobState.RUNNING);
			report.rollback();
		}
		this.node.awaitEmpty();
		assertThat(dead).allMatch((id) -> this.node.job(id).state() == JobState.DEAD);
		Awaitility.await().until(() -> this.node.worker().health().problem().isEmpty());
	}

	/**
	 * The database is lost just after it has committed the others' results.
	 */
	@Test
	void doesNotMakeTheOthersLookStaleIfTheDatabaseIsLostMeanwhile() throws Exception {
		assumeFalse(this.testDatabase.isH2(), "H2 locks differently");
		AtomicInteger losses = new AtomicInteger();
		JobStore target = this.node.store;
		this.node.storeOfWorker = (JobStore) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { JobStore.class }, (proxy, called, arguments) -> {
					boolean ofFinisher = Thread.currentThread().getName().equals("jobqueue-finish");
					if (ofFinisher && called.getName().equals("heldBy") && losses.getAndIncrement() == 0) {
						throw new DataAccessResourceFailureException("for a test");
					}
					return called.invoke(target, arguments);
				});
		CountDownLatch running = new CountDownLatch(4);
		CountDownLatch release = new CountDownLatch(1);
		this.node.handler("work", (payload, job) -> {
			running.countDown();
			release.await();
		}).start();
		List<Long> ids = enqueue("work", 4);
		await(running);
		try (Connection operator = this.node.dataSource.getConnection()) {
			operator.setAutoCommit(false);
			try (Statement statement = operator.createStatement()) {
				statement.execute("SELECT * FROM jobqueue_job WHERE id = " + ids.get(0) + " FOR UPDATE");
			}
			release.countDown();
			for (long id : ids.subList(1, 4)) {
				this.node.await(id, JobState.SUCCEEDED);
			}
			Awaitility.await().until(() -> losses.get() > 0);
			operator.rollback();
		}
		this.node.awaitEmpty();
		Awaitility.await().until(() -> this.node.worker().health().held() == 0);
		assertThat(this.node.outcomes).doesNotContain(Outcome.STALE);
	}

}
