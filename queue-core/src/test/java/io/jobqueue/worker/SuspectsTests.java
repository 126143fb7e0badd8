package io.jobqueue.worker;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.jobqueue.Job;
import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.store.JobStore;
import io.jobqueue.store.WorkerSessions;
import io.jobqueue.test.ForEachDatabase;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.dao.DataAccessResourceFailureException;

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

	/**
	 * A database that does not answer for the session timeout may do so because of the
	 * job's query.
	 */
	@Test
	void anAttemptThatFailsWithTheDatabaseAfterTheSessionWasLostCountsItsOutage() {
		AtomicBoolean away = new AtomicBoolean();
		this.node.sessionsOfWorker = (WorkerSessions) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { WorkerSessions.class }, (proxy, called, arguments) -> {
					if (called.getName().equals("heartbeat") && away.get()) {
						throw new DataAccessResourceFailureException("no answer");
					}
					try {
						return called.invoke(this.node.stores.sessions(), arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getTargetException();
					}
				});
		this.node.handler("work", (payload, job) -> {
			away.set(true);
			try {
				await(this.longJobsEnd);
			}
			catch (InterruptedException ex) {
				throw new DataAccessResourceFailureException("the statement ended with its connection");
			}
		}).start();
		long id = this.node.queue.enqueue("work");
		Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.until(() -> this.node.sql.queryForObject("SELECT outages FROM jobqueue_job WHERE id = ?", Integer.class,
					id) == 1);
		assertThat(this.node.job(id).attempt()).isZero();
		this.longJobsEnd.countDown();
		away.set(false);
	}

	/**
	 * Its result meets a database that is away each time, as if its query had killed it.
	 */
	@Test
	void aJobThatBringsTheDatabaseDownIsDeadInTheEndAndTakesNobodyWithIt() {
		AtomicInteger runs = new AtomicInteger();
		this.node.handler("work", (payload, job) -> {
		}).handler("killer", (payload, job) -> {
			runs.incrementAndGet();
			throw new DataAccessResourceFailureException("the database is away");
		});
		long id = this.node.queue.enqueue("killer");
		this.node.storeOfWorker = (JobStore) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { JobStore.class }, (proxy, called, arguments) -> {
					if (called.getName().equals("finish")
							&& arguments[0].toString().contains("Retry[claim=Claim[id=" + id + ",")) {
						throw new DataAccessResourceFailureException("killed");
					}
					try {
						return called.invoke(this.node.store, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getTargetException();
					}
				});
		this.node.start();
		Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> {
			// Nobody wants to wait for its delays.
			this.node.sql
				.update("UPDATE jobqueue_job SET available_at = '2001-01-01 00:00:00' WHERE state IN (2, 7, 8)");
			return this.node.job(id).state() == JobState.DEAD;
		});
		Job job = this.node.job(id);
		assertThat(runs).hasValue(5);
		assertThat(job.lastError().orElseThrow().message()).contains("The database was lost 5 times");
		assertThat(this.node.count("jobqueue_error")).isEqualTo(5);
		this.node.await(this.node.queue.enqueue("work"), JobState.SUCCEEDED);
	}

}
