package io.jobqueue.worker;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

import io.jobqueue.Job;
import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.store.JobStore;
import io.jobqueue.store.WorkerSessions;
import io.jobqueue.test.ForEachDatabase;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.dao.CannotAcquireLockException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.transaction.CannotCreateTransactionException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Jobs that are under suspicion of having killed their worker, or the database.
 */
@ForEachDatabase
class SuspectsTests extends NodeTests {

	private final CountDownLatch longJobsEnd = new CountDownLatch(1);

	private void startWithALongJob() {
		this.node.handler("long", (payload, job) -> await(this.longJobsEnd)).handler("work", (payload, job) -> {
		}).start();
		this.node.await(this.node.queue.enqueue("long"), JobState.RUNNING);
	}

	private List<Long> suspects(int jobs, int state, int crashes) {
		this.node.queue.pause("suspects");
		List<Long> ids = this.node.queue
			.enqueueAll(IntStream.range(0, jobs).mapToObj((i) -> NewJob.of("work").queue("suspects")).toList());
		this.node.sql.update("UPDATE jobqueue_job SET state = ?, crashes = ? WHERE queue = 'suspects'", state, crashes);
		this.node.queue.resume("suspects");
		return ids;
	}

	@Test
	void doNotWaitForALongJobAfterOneCrash() {
		startWithALongJob();
		List<Long> rescued = suspects(11, 2, 1);
		rescued.forEach((id) -> this.node.await(id, JobState.SUCCEEDED));
		this.node.await(this.node.queue.enqueue("work"), JobState.SUCCEEDED);
		this.longJobsEnd.countDown();
	}

	@Test
	void runOnANodeThatIsIdleWhileOthersGoOn() {
		startWithALongJob();
		try (TestNode idle = anotherNode().handler("work", (payload, job) -> {
		}).start()) {
			suspects(3, 7, 3).forEach((id) -> idle.await(id, JobState.SUCCEEDED));
		}
		this.longJobsEnd.countDown();
	}

	/**
	 * With one node only there is no other way.
	 */
	@Test
	void areAloneInTheEnd() {
		startWithALongJob();
		List<Long> ids = suspects(2, 7, 3);
		Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.until(() -> this.node.sql.queryForObject("SELECT COUNT(*) FROM jobqueue_quarantine WHERE session_id > 0",
					Long.class) == 1);
		long ordinary = this.node.queue.enqueue("work");
		Awaitility.await()
			.during(Duration.ofMillis(500))
			.until(() -> ids.stream().allMatch((id) -> this.node.job(id).state() == JobState.READY)
					&& this.node.job(ordinary).state() == JobState.READY);
		this.longJobsEnd.countDown();
		ids.forEach((id) -> this.node.await(id, JobState.SUCCEEDED));
		this.node.await(ordinary, JobState.SUCCEEDED);
		Awaitility.await()
			.until(() -> this.node.sql.queryForObject("SELECT SUM(session_id) FROM jobqueue_quarantine",
					Long.class) == 0);
	}

	/** Lets heartbeats of the worker fail as long as it is said so. */
	private void failHeartbeatsWhile(BooleanSupplier away) {
		this.node.sessionsOfWorker = proxy(WorkerSessions.class, (proxy, called, arguments) -> {
			if (called.getName().equals("heartbeat") && away.getAsBoolean()) {
				throw new DataAccessResourceFailureException("no answer");
			}
			return call(called, this.node.stores.sessions(), arguments);
		});
	}

	private static <T> T proxy(Class<T> type, InvocationHandler calls) {
		return type.cast(Proxy.newProxyInstance(SuspectsTests.class.getClassLoader(), new Class<?>[] { type }, calls));
	}

	private static Object call(Method called, Object target, Object[] arguments) throws Throwable {
		try {
			return called.invoke(target, arguments);
		}
		catch (InvocationTargetException ex) {
			throw ex.getTargetException();
		}
	}

	private int outages(long id) {
		return this.node.sql.queryForObject("SELECT outages FROM jobqueue_job WHERE id = ?", Integer.class, id);
	}

	/**
	 * A database that does not answer for the session timeout may do so because of the
	 * job's query, whatever its handler makes of it.
	 */
	@Test
	void anAttemptThatFailsAfterTheSessionWasLostCountsAnOutage() {
		AtomicBoolean away = new AtomicBoolean();
		failHeartbeatsWhile(away::get);
		this.node.handler("work", (payload, job) -> {
			away.set(true);
			await(this.longJobsEnd);
		}).start();
		long id = this.node.queue.enqueue("work");
		Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> outages(id) == 1);
		assertThat(this.node.job(id).attempt()).isZero();
		this.longJobsEnd.countDown();
		away.set(false);
	}

	@Test
	void aJobThatBringsTheDatabaseDownIsDeadInTheEndAndTakesNobodyWithIt() {
		AtomicInteger runs = new AtomicInteger();
		AtomicBoolean killed = new AtomicBoolean();
		failHeartbeatsWhile(() -> killed.compareAndSet(true, false));
		this.node.handler("work", (payload, job) -> {
		}).handler("killer", (payload, job) -> {
			runs.incrementAndGet();
			killed.set(true);
			throw new DataAccessResourceFailureException("the database is away");
		});
		this.node.start();
		long id = this.node.queue.enqueue("killer");
		// The update locks what it passes in the index, so the worker may be in its way.
		Awaitility.await()
			.atMost(Duration.ofSeconds(60))
			.ignoreException(CannotAcquireLockException.class)
			.until(() -> {
				// Nobody wants to wait for its delays.
				this.node.sql
					.update("UPDATE jobqueue_job SET available_at = '2001-01-01 00:00:00' WHERE state IN (2, 7, 8)");
				return this.node.job(id).state() == JobState.DEAD;
			});
		Job job = this.node.job(id);
		assertThat(runs).hasValue(6);
		assertThat(job.lastError().orElseThrow().message()).contains("The database was lost 6 times");
		assertThat(this.node.count("jobqueue_error")).isEqualTo(6);
		this.node.await(this.node.queue.enqueue("work"), JobState.SUCCEEDED);
	}

	/**
	 * The heartbeat has a connection of its own, and does not miss the others.
	 */
	@Test
	void whoMeetsAnExhaustedPoolTwiceHasSeenNoOutage() {
		AtomicInteger refused = new AtomicInteger(2);
		this.node.storeOfWorker = proxy(JobStore.class, (proxy, called, arguments) -> {
			if (called.getName().equals("finish") && arguments[0].toString().contains("Retry[")
					&& refused.getAndDecrement() > 0) {
				throw new CannotCreateTransactionException("no connection", new SQLTransientConnectionException());
			}
			return call(called, this.node.store, arguments);
		});
		AtomicInteger runs = new AtomicInteger();
		List<Integer> outages = new CopyOnWriteArrayList<>();
		this.node.handler("work", (payload, job) -> {
			outages.add(outages(job.id()));
			if (runs.incrementAndGet() < 3) {
				throw new CannotCreateTransactionException("no connection", new SQLTransientConnectionException());
			}
		}).start();
		long id = this.node.queue.enqueue("work");
		this.node.await(id, JobState.SUCCEEDED);
		assertThat(outages).containsExactly(0, 0, 0);
		assertThat(this.node.job(id).attempt()).as("attempts that were not counted").isOne();
	}

}
