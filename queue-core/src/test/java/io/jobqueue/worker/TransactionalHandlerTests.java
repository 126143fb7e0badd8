package io.jobqueue.worker;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.jobqueue.Job;
import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.test.TestDatabase;
import io.jobqueue.test.TestSchema;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Handlers whose effects and ack commit together.
 */
@ParameterizedClass
@EnumSource(TestDatabase.class)
class TransactionalHandlerTests {

	private final TestDatabase server;

	private TestSchema schema;

	private TestNode node;

	TransactionalHandlerTests(TestDatabase server) {
		this.server = server;
	}

	@BeforeEach
	void createNode() {
		assumeTrue(this.server.isAvailable(), this.server::whyNot);
		this.schema = this.server.create();
		this.node = new TestNode(this.schema.dataSource());
		this.node.sql.execute("CREATE TABLE ledger (job_id BIGINT NOT NULL, note VARCHAR(100))");
		this.node.sql.execute("CREATE TABLE account (id INT NOT NULL PRIMARY KEY, amount INT NOT NULL)");
		this.node.sql.update("INSERT INTO account VALUES (1, 0), (2, 0)");
	}

	@AfterEach
	void closeNode() {
		if (this.node != null) {
			this.node.close();
			this.schema.close();
		}
	}

	private void post(long jobId) {
		this.node.sql.update("INSERT INTO ledger VALUES (?, 'posted')", jobId);
	}

	@Test
	void theEffectsOfEveryJobHappenOnce() {
		this.node.transactionalHandler("post", (payload, job) -> {
			post(job.id());
			if (job.attempt() == 1 && job.id() % 3 == 0) {
				throw new IllegalStateException("after the write");
			}
		}).start();
		this.node.queue.enqueueAll(IntStream.range(0, 300).mapToObj((i) -> NewJob.of("post")).toList());
		this.node.awaitEmpty();
		assertThat(this.node.count("ledger")).isEqualTo(300);
		assertThat(this.node.sql.queryForObject("SELECT COUNT(DISTINCT job_id) FROM ledger", Long.class))
			.isEqualTo(300);
	}

	@Test
	void aHandlerThatMarksItsTransactionAsRollbackOnlyHasFailed() {
		this.node.transactionalHandler("post", (payload, job) -> {
			post(job.id());
			TransactionTemplate inner = new TransactionTemplate(new JdbcTransactionManager(this.schema.dataSource()));
			inner.executeWithoutResult((status) -> status.setRollbackOnly());
		}).start();
		Job job = this.node.await(this.node.queue.enqueue("post"), JobState.DEAD);
		assertThat(job.lastError().orElseThrow().message()).contains("rollback-only");
		assertThat(this.node.count("ledger")).isZero();
	}

	@Test
	void aHandlerThatSwallowsADeadlockHasFailed() throws Exception {
		assumeTrue(this.server == TestDatabase.MYSQL || this.server == TestDatabase.MARIADB);
		CountDownLatch bothHaveOne = new CountDownLatch(2);
		AtomicInteger swallowed = new AtomicInteger();
		this.node.transactionalHandler("transfer", (payload, job) -> {
			int first = "forth".equals(payload) ? 1 : 2;
			post(job.id());
			this.node.sql.update("UPDATE account SET amount = amount + 1 WHERE id = ?", first);
			bothHaveOne.countDown();
			bothHaveOne.await(10, TimeUnit.SECONDS);
			try {
				this.node.sql.update("UPDATE account SET amount = amount + 1 WHERE id = ?", 3 - first);
			}
			catch (PessimisticLockingFailureException ex) {
				swallowed.incrementAndGet();
			}
		}).start();
		long forth = this.node.queue.enqueue("transfer", "forth");
		long back = this.node.queue.enqueue("transfer", "back");
		this.node.await(forth, JobState.SUCCEEDED);
		this.node.await(back, JobState.SUCCEEDED);
		assertThat(swallowed).hasValue(1);
		// Both transfers are there in full: the one whose writes were lost was run again.
		assertThat(this.node.sql.queryForList("SELECT amount FROM account", Integer.class)).containsOnly(2);
		assertThat(this.node.count("ledger")).isEqualTo(2);
		assertThat(this.node.count("jobqueue_error")).isEqualTo(1);
	}

	@Test
	void aHandlerWhoseTransactionWasCommittedByDdlHasFailed() {
		assumeTrue(this.server == TestDatabase.MYSQL || this.server == TestDatabase.MARIADB);
		this.node.transactionalHandler("ddl", (payload, job) -> {
			post(job.id());
			this.node.sql.execute("CREATE TABLE IF NOT EXISTS made_by_handler (id INT)");
		}).start();
		Job job = this.node.await(this.node.queue.enqueue(NewJob.of("ddl").maxAttempts(1)), JobState.DEAD);
		assertThat(job.lastError().orElseThrow().message()).contains("DDL");
	}

	@Test
	void whatAHandlerDidIsRolledBackIfItsJobWasCancelledMeanwhile() throws Exception {
		CountDownLatch written = new CountDownLatch(1);
		CountDownLatch cancelled = new CountDownLatch(1);
		this.node.transactionalHandler("post", (payload, job) -> {
			post(job.id());
			written.countDown();
			while (cancelled.getCount() > 0) {
				try {
					cancelled.await();
				}
				catch (InterruptedException ex) {
					// Goes on, to meet the fence.
				}
			}
		}).start();
		long id = this.node.queue.enqueue("post");
		assertThat(written.await(30, TimeUnit.SECONDS)).isTrue();
		assertThat(new TestNode(this.schema.dataSource()).queue.cancel(id)).isTrue();
		cancelled.countDown();
		Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> this.node.worker().health().held() == 0);
		assertThat(this.node.count("ledger")).isZero();
		assertThat(this.node.job(id).state()).isEqualTo(JobState.CANCELLED);
	}

	@Test
	void anAttemptWhoseConnectionIsKilledChangesNothingAndIsRunAgain() {
		assumeTrue(this.server == TestDatabase.MYSQL || this.server == TestDatabase.MARIADB);
		AtomicInteger runs = new AtomicInteger();
		this.node.transactionalHandler("post", (payload, job) -> {
			post(job.id());
			if (runs.incrementAndGet() == 1) {
				Long connection = this.node.sql.queryForObject("SELECT CONNECTION_ID()", Long.class);
				try {
					this.node.sql.execute("KILL " + connection);
				}
				catch (DataAccessException ex) {
					// The connection that asks is the one that dies.
				}
			}
		}).start();
		long id = this.node.queue.enqueue("post");
		this.node.await(id, JobState.SUCCEEDED);
		assertThat(this.node.count("ledger")).isEqualTo(1);
		assertThat(runs).hasValue(2);
	}

	/**
	 * As when JPA flushes at commit, after the handler has returned.
	 */
	@Test
	void aCommitThatFailsAfterTheHandlerHasReturnedFailsTheAttempt() {
		this.node.transactionalHandler("post", (payload, job) -> {
			post(job.id());
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void beforeCommit(boolean readOnly) {
					throw new DataIntegrityViolationException("found at the flush");
				}

			});
		}).start();
		Job job = this.node.await(this.node.queue.enqueue("post"), JobState.DEAD);
		assertThat(job.attempt()).isEqualTo(3);
		assertThat(job.lastError().orElseThrow().message()).contains("found at the flush");
		assertThat(this.node.count("ledger")).isZero();
	}

	@Test
	void aCheckedExceptionRollsBackToo() {
		this.node.transactionalHandler("post", (payload, job) -> {
			post(job.id());
			throw new SQLException("checked");
		}).start();
		this.node.await(this.node.queue.enqueue("post"), JobState.DEAD);
		assertThat(this.node.count("ledger")).isZero();
	}

}
