package io.jobqueue.test.shop;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.stream.IntStream;

import io.jobqueue.JobQueue;
import io.jobqueue.NewJob;
import io.jobqueue.node.Worker;
import io.jobqueue.test.AutoConfigureJobQueue;
import io.jobqueue.test.JobQueueTester;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.mockito.Mockito.timeout;
import static org.mockito.Mockito.verify;

/**
 * The tester beside {@code @SpringBootTest}: with the worker, and on many threads.
 */
@SpringBootTest(properties = { "spring.sql.init.mode=always", "jobqueue.limits.api.starts=1",
		"spring.datasource.generate-unique-name=true" })
@AutoConfigureJobQueue
class WholeApplicationTests {

	private static final int THREADS = 4;

	@Autowired
	JobQueueTester tester;

	@Autowired
	JobQueue jobs;

	@Autowired
	Worker worker;

	@Autowired
	JdbcClient sql;

	@Autowired
	PlatformTransactionManager transactions;

	@MockitoBean
	Mailer mailer;

	@BeforeEach
	@AfterEach
	void clear() {
		this.tester.stopWorker();
		this.tester.clear();
		this.sql.sql("DELETE FROM effects").update();
	}

	@Test
	void noThreadOfTheQueueRuns() {
		assertThat(this.worker.isRunning()).isFalse();
		assertThat(Thread.getAllStackTraces().keySet()).extracting(Thread::getName)
			.noneMatch((name) -> name.startsWith("jobqueue-"));
	}

	@Test
	void theWorkerRunsWhenAskedAndFollowsTheClock() {
		this.tester.startWorker();
		this.jobs.enqueue(NewJob.of("in-order", "now"));
		verify(this.mailer, timeout(20_000)).send("now");
		this.jobs.enqueue(NewJob.of("in-order", "tomorrow").delay(Duration.ofDays(1)));
		this.tester.advance(Duration.ofDays(1));
		verify(this.mailer, timeout(60_000)).send("tomorrow");
		this.tester.stopWorker();
		assertThat(this.worker.isRunning()).isFalse();
	}

	@Test
	void theClockOfAnotherTestDoesNotMoveThisWorker() throws Exception {
		this.tester.startWorker();
		onThreadOfItsOwn(() -> {
			this.tester.advance(Duration.ofDays(7));
			return null;
		});
		assertThat(onThreadOfItsOwn(this.tester::now)).isBefore(Instant.now().plus(Duration.ofDays(1)));
	}

	@Test
	void aWorkerThatIsStartedOnTheThreadOfATimeoutIsStoppedWithItsTest() {
		assertTimeoutPreemptively(Duration.ofMinutes(1), this.tester::startWorker);
		assertThat(this.worker.isRunning()).isTrue();
		this.tester.stopWorker();
		assertThat(this.worker.isRunning()).isFalse();
	}

	/** A test may commit what it has run in a transaction of its own. */
	@Test
	void queuesAreInTheirModesAgainAfterwards() {
		new TransactionTemplate(this.transactions).executeWithoutResult((status) -> {
			this.sql.sql("INSERT INTO jobqueue_queue (name, mode) VALUES ('exact', 1)").update();
			this.jobs.enqueue(NewJob.of("in-order", "exact").queue("exact"));
			assertThat(this.tester.runDue().assertNoneFailed().count()).isEqualTo(1);
		});
		assertThat(this.sql.sql("SELECT mode FROM jobqueue_queue WHERE name = 'exact'").query(Integer.class).single())
			.isEqualTo(1);
	}

	@Test
	void anotherWorkerIsNoticedWhileThatOfTheTestRuns() {
		this.tester.startWorker();
		this.tester.clear();
		this.sql
			.sql("INSERT INTO jobqueue_session (id, worker, started_at, heartbeat_at, expires_at, slots, busy, queues, "
					+ "types) VALUES (7, 'production', '2026-01-01 00:00:00', '2026-01-01 00:00:00', '2999-01-01 00:00:00', 1, 0, "
					+ "'', '')")
			.update();
		try {
			assertThatIllegalStateException().isThrownBy(this.tester::clear).withMessageContaining("production");
		}
		finally {
			this.sql.sql("DELETE FROM jobqueue_session WHERE id = 7").update();
		}
	}

	/**
	 * Which belongs to no test.
	 */
	static <T> T onThreadOfItsOwn(Callable<T> work) throws Exception {
		FutureTask<T> task = new FutureTask<>(work);
		new Thread(null, task, "other", 0, false).start();
		return task.get();
	}

	/**
	 * Each thread is as one test: with a transaction that is rolled back, a clock and
	 * jobs of its own.
	 */
	@Test
	void testsRunInParallel() throws Exception {
		ExecutorService threads = Executors.newFixedThreadPool(THREADS);
		try {
			List<Callable<Integer>> tests = IntStream.range(0, 40).mapToObj(this::test).toList();
			for (Future<Integer> ran : threads.invokeAll(tests)) {
				assertThat(ran.get()).isEqualTo(2);
			}
		}
		finally {
			threads.shutdownNow();
		}
		assertThat(this.sql.sql("SELECT COUNT(*) FROM effects").query(Long.class).single()).isZero();
		assertThat(this.tester.enqueued()).isEmpty();
	}

	private Callable<Integer> test(int number) {
		TransactionTemplate transaction = new TransactionTemplate(this.transactions);
		transaction.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
		return () -> transaction.execute((status) -> {
			this.jobs.enqueue(NewJob.of("charge", new Shop.Receipt(number, "nobody")));
			this.jobs.enqueue(NewJob.of("second", number).delay(Duration.ofSeconds(number)));
			int ran = this.tester.drain().assertNoneFailed().count();
			long effects = this.sql.sql("SELECT COUNT(*) FROM effects WHERE amount = ?")
				.param(number)
				.query(Long.class)
				.single();
			status.setRollbackOnly();
			assertThat(effects).isEqualTo(2);
			return this.tester.enqueued().isEmpty() ? ran : -1;
		});
	}

}
