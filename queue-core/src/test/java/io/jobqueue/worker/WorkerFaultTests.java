package io.jobqueue.worker;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import io.jobqueue.Job;
import io.jobqueue.JobState;
import io.jobqueue.RetryLaterException;
import io.jobqueue.UnknownOutcomeException;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Finish;
import io.jobqueue.store.JobStore;
import io.jobqueue.test.TestDatabase;
import io.jobqueue.test.Thorough;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.DataIntegrityViolationException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

/**
 * What a worker does when its database, its handlers or its listeners misbehave.
 */
@ParameterizedClass(name = "{0}")
@EnumSource(value = TestDatabase.class, names = { "MYSQL", "H2" })
class WorkerFaultTests extends NodeTests {

	/**
	 * Lets the first calls of one method fail, before or after they have done their work.
	 */
	private void fail(String method, int times, boolean after, Throwable failure) {
		AtomicInteger left = new AtomicInteger(times);
		interpose((proxy, called, arguments) -> {
			boolean fails = called.getName().equals(method) && left.getAndDecrement() > 0;
			if (fails && !after) {
				throw failure;
			}
			Object result = call(called, arguments);
			if (fails) {
				throw failure;
			}
			return result;
		});
	}

	/**
	 * Puts something between the worker and its store.
	 */
	private void interpose(InvocationHandler calls) {
		this.node.storeOfWorker = (JobStore) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { JobStore.class }, calls);
	}

	private Object call(Method method, Object[] arguments) throws Throwable {
		try {
			return method.invoke(this.node.store, arguments);
		}
		catch (InvocationTargetException ex) {
			throw ex.getTargetException();
		}
	}

	@Test
	void anErrorDoesNotEndThePollLoop() {
		fail("ready", 2, false, new OutOfMemoryError("for a test"));
		this.node.handler("work", (payload, job) -> {
		}).start();
		enqueue("work", 20);
		this.node.awaitEmpty();
	}

	@Test
	void anErrorDoesNotEndTheFinisher() {
		fail("finish", 2, false, new OutOfMemoryError("for a test"));
		this.node.handler("work", (payload, job) -> {
		}).start();
		enqueue("work", 20);
		this.node.awaitEmpty();
		Awaitility.await()
			.untilAsserted(() -> assertThat(this.node.outcomes).hasSize(20).containsOnly(Outcome.SUCCEEDED));
	}

	@Test
	void aResultThatTheDatabaseRefusesDoesNotHoldUpOthers() {
		Thorough.unlessOnMySql(this.testDatabase);
		List<Long> ids = enqueue("work", 20);
		long refused = ids.get(7);
		interpose((proxy, called, arguments) -> {
			if (called.getName().equals("finish") && arguments[0].toString().contains("id=" + refused + ",")) {
				throw new DataIntegrityViolationException("for a test");
			}
			return call(called, arguments);
		});
		this.node.handler("work", (payload, job) -> {
		}).start();
		Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> this.node.count("jobqueue_archive") == 19);
		assertThat(this.node.job(refused).state()).isEqualTo(JobState.RUNNING);
		Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.until(() -> this.node.worker().health().problem().contains("cannot be committed"));
	}

	@Test
	void aClaimWhoseCommitWasLostIsRunAllTheSame() {
		fail("claim", 1, true, new UnknownOutcomeException("for a test", null));
		this.node.handler("work", (payload, job) -> assertThat(job.attempt()).isEqualTo(1)).start();
		enqueue("work", 5);
		this.node.awaitEmpty();
		Awaitility.await()
			.untilAsserted(() -> assertThat(this.node.outcomes).hasSize(5).containsOnly(Outcome.SUCCEEDED));
	}

	@Test
	void aResultWhoseCommitWasLostIsNoStaleClaim() {
		fail("finish", 1, true, new UnknownOutcomeException("for a test", null));
		this.node.handler("work", (payload, job) -> {
		}).start();
		enqueue("work", 1);
		this.node.awaitEmpty();
		Awaitility.await().until(() -> this.node.worker().health().held() == 0);
		assertThat(this.node.outcomes).doesNotContain(Outcome.STALE);
		assertThat(this.node.sql.queryForObject("SELECT COUNT(*) FROM jobqueue_archive WHERE state = 3", Long.class))
			.isEqualTo(1);
	}

	/**
	 * The commit is delivered late: its transaction has the row locked until then.
	 */
	@Test
	void aResultWhoseCommitComesLateIsNoStaleClaim() throws Exception {
		assumeFalse(this.testDatabase.isH2(), "H2 locks differently");
		fail("finish", 1, false, new UnknownOutcomeException("for a test", null));
		CountDownLatch running = new CountDownLatch(1);
		CountDownLatch release = new CountDownLatch(1);
		this.node.handler("work", (payload, job) -> {
			running.countDown();
			release.await();
		}).start();
		long id = enqueue("work", 1).get(0);
		await(running);
		try (Connection late = this.node.dataSource.getConnection(); Statement statement = late.createStatement()) {
			late.setAutoCommit(false);
			statement.execute("DELETE FROM jobqueue_job WHERE id = " + id);
			release.countDown();
			Awaitility.await().until(() -> this.node.worker().health().problem().contains("cannot be committed"));
			late.commit();
		}
		Awaitility.await().until(() -> this.node.worker().health().held() == 0);
		assertThat(this.node.outcomes).doesNotContain(Outcome.STALE);
	}

	@Test
	void anAttemptThatFailsWithTheDatabaseIsNotCounted() {
		AtomicInteger runs = new AtomicInteger();
		fail("finish", 1, false, new DataAccessResourceFailureException("for a test"));
		this.node.handler("work", (payload, job) -> {
			assertThat(job.attempt()).isEqualTo(1);
			if (runs.incrementAndGet() == 1) {
				throw new DataAccessResourceFailureException("the database is away");
			}
		}).start();
		enqueue("work", 1);
		this.node.awaitEmpty();
		assertThat(runs).hasValue(2);
	}

	@Test
	void anotherDatabaseThatIsAwayCountsAsAFailure() {
		this.node.handler("work", (payload, job) -> {
			throw new DataAccessResourceFailureException("some other database is away");
		}).start();
		Job job = this.node.await(enqueue("work", 1).get(0), JobState.DEAD);
		assertThat(job.attempt()).isEqualTo(3);
	}

	@Test
	void aListenerThatThrowsCostsNoResult() {
		this.node.listener = new WorkerListener() {

			@Override
			public void started(ClaimedJob job, Duration delay) {
				throw new IllegalStateException("for a test");
			}

			@Override
			public void finished(ClaimedJob job, Outcome outcome, Duration duration, @Nullable Finish how) {
				throw new IllegalStateException("for a test");
			}

		};
		this.node.handler("work", (payload, job) -> {
		}).transactionalHandler("post", (payload, job) -> {
		}).start();
		enqueue("work", 10);
		enqueue("post", 10);
		this.node.awaitEmpty();
		Awaitility.await().until(() -> this.node.worker().health().held() == 0);
		Awaitility.await()
			.untilAsserted(() -> assertThat(this.node.outcomes).hasSize(20).containsOnly(Outcome.SUCCEEDED));
	}

	/**
	 * As a listener whose library is missing.
	 */
	/**
	 * The worker has lost a claim, so the job is ready again, and the handler does not
	 * react to its interrupt.
	 */
	@Test
	void theHandlerOfAClaimThatWasLostIsNotForgottenWhenItsJobIsClaimedAgain() throws Exception {
		CountDownLatch started = new CountDownLatch(1);
		CountDownLatch end = new CountDownLatch(1);
		AtomicInteger runs = new AtomicInteger();
		this.node.handler("deaf", (payload, job) -> {
			if (runs.incrementAndGet() == 1) {
				started.countDown();
				awaitUninterruptibly(end);
			}
		}).start();
		long id = this.node.queue.enqueue("deaf");
		await(started);
		this.node.sql.update("UPDATE jobqueue_job SET state = 0, session_id = 0, attempt = 0, fence = fence + 1");
		this.node.await(id, JobState.SUCCEEDED);
		Awaitility.await().until(() -> this.node.worker().health().held() == 1);
		assertThat(this.node.worker().health().busy()).isEqualTo(1);
		end.countDown();
		Awaitility.await().until(() -> this.node.worker().health().held() == 0);
		assertThat(runs).hasValue(2);
	}

	@Test
	void aListenerThatThrowsAnErrorEndsNoThread() {
		this.node.listener = new WorkerListener() {
			@Override
			public void started(ClaimedJob job, Duration delay) {
				throw new NoClassDefFoundError("for a test");
			}

			@Override
			public void finished(ClaimedJob job, Outcome outcome, Duration duration, @Nullable Finish how) {
				throw new NoClassDefFoundError("for a test");
			}
		};
		this.node.handler("work", (payload, job) -> {
		}).start();
		for (int i = 0; i < 3; i++) {
			enqueue("work", 5);
			this.node.awaitEmpty();
		}
		assertThat(this.node.worker().health().alive()).isTrue();
		assertThat(this.node.sql.queryForObject("SELECT COUNT(*) FROM jobqueue_archive WHERE state = 3", Long.class))
			.isEqualTo(15);
	}

	@Test
	void numbersThatNoDatabaseCanCountAreCut() {
		this.node.handler("work", (payload, job) -> {
		}).handler("later", (payload, job) -> {
			throw new RetryLaterException(Duration.ofSeconds(Long.MAX_VALUE));
		}).start();
		this.node.sql.update("INSERT INTO jobqueue_job (type, timeout_ms) VALUES ('work', " + Long.MAX_VALUE + ")");
		this.node.sql.update("INSERT INTO jobqueue_job (type, timeout_ms) VALUES ('work', -1)");
		long later = this.node.queue.enqueue("later");
		enqueue("work", 10);
		Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> this.node.count("jobqueue_archive") == 12);
		Awaitility.await().until(() -> this.node.job(later).lastError().isPresent());
		assertThat(this.node.job(later).state()).isEqualTo(JobState.READY);
	}

	@Test
	void theWorkerStartsAgainAfterItWasStopped() {
		var runs = new ConcurrentLinkedQueue<Long>();
		this.node.handler("work", (payload, job) -> runs.add(job.id())).start();
		this.node.await(enqueue("work", 1).get(0), JobState.SUCCEEDED);
		this.node.worker().stop();
		long waiting = enqueue("work", 1).get(0);
		assertThat(this.node.job(waiting).state()).isEqualTo(JobState.READY);
		this.node.worker().start();
		this.node.await(waiting, JobState.SUCCEEDED);
		assertThat(runs).hasSize(2);
	}

	@Test
	void whatWasClaimedWhileTheWorkerStoppedIsGivenBackUnrun() throws Exception {
		CountDownLatch claiming = new CountDownLatch(1);
		CountDownLatch stopping = new CountDownLatch(1);
		interpose((proxy, called, arguments) -> {
			if (called.getName().equals("claim")) {
				claiming.countDown();
				stopping.await();
			}
			return call(called, arguments);
		});
		Set<Long> runs = ConcurrentHashMap.newKeySet();
		this.node.handler("work", (payload, job) -> runs.add(job.id())).start();
		List<Long> ids = enqueue("work", 5);
		await(claiming);
		Thread stop = beginToStop();
		stopping.countDown();
		stop.join(30_000);
		Awaitility.await().untilAsserted(() -> assertGivenBackUnrun(ids));
		assertThat(runs).isEmpty();
	}

}
