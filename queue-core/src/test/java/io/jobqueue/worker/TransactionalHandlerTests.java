package io.jobqueue.worker;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import javax.sql.DataSource;

import io.jobqueue.Job;
import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.database.Database;
import io.jobqueue.test.ForEachDatabase;
import io.jobqueue.test.LogLines;
import io.jobqueue.test.LosingCommits;
import io.jobqueue.worker.run.OtherDataSources;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

/**
 * Handlers whose effects and ack commit together.
 */
@ForEachDatabase
class TransactionalHandlerTests extends NodeTests {

	@Override
	boolean isAboutTheDatabase() {
		return true;
	}

	@BeforeEach
	void createTables() {
		this.node.sql.execute("CREATE TABLE ledger (job_id BIGINT NOT NULL, note VARCHAR(100))");
		this.node.sql.execute("CREATE TABLE account (id INT NOT NULL PRIMARY KEY, amount INT NOT NULL)");
		this.node.sql.update("INSERT INTO account VALUES (1, 0), (2, 0)");
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
		enqueue("post", 300);
		this.node.awaitEmpty();
		assertThat(this.node.count("ledger")).isEqualTo(300);
		assertThat(this.node.sql.queryForObject("SELECT COUNT(DISTINCT job_id) FROM ledger", Long.class))
			.isEqualTo(300);
	}

	/**
	 * Spring tells of it, but the commit has taken place.
	 */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aCallbackThatThrowsAfterTheCommitTakesNothingBack(boolean error) {
		this.node.transactionalHandler("post", (payload, job) -> {
			post(job.id());
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
				@Override
				public void afterCommit() {
					if (error) {
						throw new AssertionError("for a test");
					}
					throw new IllegalStateException("for a test");
				}
			});
		}).start();
		this.node.await(this.node.queue.enqueue("post"), JobState.SUCCEEDED);
		Awaitility.await().until(() -> !this.node.outcomes.isEmpty());
		assertThat(this.node.outcomes).containsExactly(Outcome.SUCCEEDED);
		assertThat(this.node.count("ledger")).isEqualTo(1);
	}

	/**
	 * What it writes there is committed apart, which nobody would see otherwise.
	 */
	@Test
	void aHandlerThatUsesAnotherDataSourceIsNamedOnce() {
		TestNode other = anotherNode("SELECT 1");
		DataSource wrapped = new DelegatingDataSource(this.node.dataSource);
		this.node.transactionalHandler("elsewhere", (payload, job) -> {
			post(job.id());
			other.sql.queryForObject("SELECT COUNT(*) FROM account", Long.class);
		}).transactionalHandler("apart", (payload, job) -> {
			JdbcTransactionManager manager = new JdbcTransactionManager(other.dataSource);
			OtherDataSources.listenTo(manager);
			new TransactionTemplate(manager)
				.executeWithoutResult((status) -> other.sql.update("UPDATE account SET amount = 1"));
		}).transactionalHandler("here", (payload, job) -> {
			DataSourceUtils.releaseConnection(DataSourceUtils.getConnection(wrapped), wrapped);
			post(job.id());
		}).start();
		try (LogLines lines = LogLines.of(OtherDataSources.class)) {
			for (String type : List.of("here", "elsewhere", "elsewhere", "apart", "here")) {
				this.node.await(this.node.queue.enqueue(type), JobState.SUCCEEDED);
			}
			assertThat(lines.messages()).hasSize(2)
				.allMatch((line) -> line.contains("jobs has used another DataSource"))
				.first()
				.asString()
				.contains("WARN The transactional handler of elsewhere jobs");
			assertThat(lines.messages().get(1)).contains("handler of apart jobs");
		}
	}

	@Test
	void aHandlerThatMarksItsTransactionAsRollbackOnlyHasFailed() {
		this.node.transactionalHandler("post", (payload, job) -> {
			post(job.id());
			transaction().executeWithoutResult((status) -> status.setRollbackOnly());
		}).start();
		Job job = this.node.await(this.node.queue.enqueue("post"), JobState.DEAD);
		assertThat(job.lastError().orElseThrow().message()).contains("rollback-only");
		assertThat(this.node.count("ledger")).isZero();
	}

	@Test
	void aHandlerThatSwallowsADeadlockHasFailed() throws Exception {
		assumeFalse(this.testDatabase.isH2());
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
		assumeFalse(this.testDatabase.isH2());
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
			// Goes on, to meet the fence.
			awaitUninterruptibly(cancelled);
		}).start();
		long id = this.node.queue.enqueue("post");
		await(written);
		assertThat(anotherNode().queue.cancel(id)).isTrue();
		cancelled.countDown();
		Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> this.node.worker().health().held() == 0);
		assertThat(this.node.count("ledger")).isZero();
		assertThat(this.node.job(id).state()).isEqualTo(JobState.CANCELLED);
	}

	@Test
	void anAttemptWhoseConnectionIsKilledChangesNothingAndIsRunAgain() {
		assumeFalse(this.testDatabase.isH2());
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
	void callbacksBeforeTheCommitHaveNoLimitOfTheQueues() {
		assumeFalse(this.testDatabase.isH2(), "H2 has no network timeouts");
		Database impatient = new Database(this.node.dataSource, Duration.ofSeconds(1));
		try (TestNode worker = new TestNode(this.node.dataSource, impatient)) {
			worker.transactionalHandler("post", (payload, job) -> {
				post(job.id());
				beforeCommit(() -> worker.sql.queryForObject("SELECT SLEEP(2)", Integer.class));
			}).start();
			Job job = this.node.await(this.node.queue.enqueue("post"), JobState.SUCCEEDED);
			assertThat(job.attempt()).isEqualTo(1);
		}
	}

	/**
	 * Nothing was sent that may have been carried out.
	 */
	@Test
	void aConnectionThatIsLostInACallbackBeforeTheCommitIsNotLostDuringIt() {
		assumeFalse(this.testDatabase.isH2());
		this.node.transactionalHandler("post", (payload, job) -> {
			post(job.id());
			beforeCommit(() -> this.node.sql
				.execute("KILL " + this.node.sql.queryForObject("SELECT CONNECTION_ID()", Long.class)));
		}).start();
		Job job = this.node.await(this.node.queue.enqueue("post"), JobState.DEAD);
		assertThat(job.lastError().orElseThrow().message()).doesNotContain("unknown")
			.contains("before the commit of the handler's transaction");
		assertThat(this.node.count("ledger")).isZero();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aCommitWhoseAnswerIsLostDoublesNothingAndIsNoStaleClaim(boolean committed) {
		LosingCommits losing = new LosingCommits(this.node.dataSource);
		AtomicInteger runs = new AtomicInteger();
		try (TestNode worker = new TestNode(losing)) {
			worker.transactionalHandler("post", (payload, job) -> {
				worker.sql.update("INSERT INTO ledger (job_id) VALUES (?)", job.id());
				if (runs.incrementAndGet() == 1) {
					losing.lose(1, committed);
				}
			}).start();
			Job job = this.node.await(this.node.queue.enqueue("post"), JobState.SUCCEEDED);
			assertThat(this.node.count("ledger")).isEqualTo(1);
			assertThat(runs).hasValue(committed ? 1 : 2);
			assertThat(worker.outcomes).doesNotContain(Outcome.STALE);
			if (!committed) {
				assertThat(job.lastError().orElseThrow().message()).contains("unknown whether");
			}
		}
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
