package io.jobqueue.worker;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.UnknownOutcomeException;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Finish;
import io.jobqueue.store.Finished;
import io.jobqueue.store.JobStore;
import io.jobqueue.test.ForEachDatabase;
import io.jobqueue.test.TestDatabase;
import io.jobqueue.test.TestSchema;
import io.jobqueue.test.Thorough;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * A worker that claims the next job of an order key as it acks the one before.
 */
@ForEachDatabase
class NextInOrderInWorkerTests {

	@Parameter
	TestDatabase testDatabase;

	private TestSchema schema;

	private TestNode node;

	private TestNode other;

	private final List<Long> ran = Collections.synchronizedList(new ArrayList<>());

	private final List<String> told = Collections.synchronizedList(new ArrayList<>());

	private final AtomicInteger claimedAhead = new AtomicInteger();

	private final AtomicInteger lostCommits = new AtomicInteger();

	@BeforeEach
	void create() {
		assumeTrue(this.testDatabase.isAvailable(), this.testDatabase::whyNot);
		Thorough.unlessOnMySql(this.testDatabase);
		this.schema = this.testDatabase.create();
		this.node = node();
		this.other = node();
		this.node.storeOfWorker = watched(this.node.store);
		this.node.listener = new WorkerListener() {

			@Override
			public void started(ClaimedJob job, Duration delay) {
				NextInOrderInWorkerTests.this.told.add("start " + job.claim().id());
			}

			@Override
			public void finished(ClaimedJob job, Outcome outcome, Duration duration, @Nullable Finish how) {
				NextInOrderInWorkerTests.this.told.add("end " + job.claim().id());
			}

		};
	}

	private TestNode node() {
		return new TestNode(this.schema.dataSource()).handler("any", (payload, job) -> {
			Thread.sleep(1);
			this.ran.add(job.id());
		}).handler("urgent", (payload, job) -> {
		});
	}

	private JobStore watched(JobStore store) {
		return (JobStore) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { JobStore.class },
				(proxy, called, arguments) -> {
					try {
						Object result = called.invoke(store, arguments);
						if (result instanceof Finished finished && !finished.keys().claimed().isEmpty()) {
							this.claimedAhead.addAndGet(finished.keys().claimed().size());
							if (this.lostCommits.getAndDecrement() > 0) {
								throw new UnknownOutcomeException("For a test", new IllegalStateException("lost"));
							}
						}
						return result;
					}
					catch (InvocationTargetException ex) {
						throw ex.getCause();
					}
				});
	}

	@AfterEach
	void close() {
		if (this.schema != null) {
			this.node.close();
			this.other.close();
			this.schema.close();
		}
	}

	private List<Long> enqueue(int jobs) {
		return this.other.queue
			.enqueueAll(IntStream.range(0, jobs).mapToObj((i) -> NewJob.of("any", "p").orderKey("a")).toList());
	}

	@Test
	void theEndOfEachIsToldBeforeTheStartOfTheNext() {
		List<Long> ids = enqueue(200);
		this.node.start();
		this.node.awaitEmpty();
		Awaitility.await().until(() -> this.told.size() == 400);
		assertThat(this.ran).isEqualTo(ids);
		assertThat(this.told)
			.isEqualTo(ids.stream().flatMap((id) -> List.of("start " + id, "end " + id).stream()).toList());
		assertThat(this.claimedAhead).hasValueGreaterThan(100);
		assertThat(this.node.count("jobqueue_order_place")).isZero();
		assertThat(this.node.count("jobqueue_order_change")).isZero();
	}

	@Test
	void moreUrgentJobsDoNotWaitForTheEndOfAKey() {
		this.node.slots(1).start();
		enqueue(3_000);
		Awaitility.await().until(() -> this.claimedAhead.get() > 10);
		long urgent = this.other.queue.enqueue(NewJob.of("urgent", "p").queue("other").priority(9));
		this.node.await(urgent, JobState.SUCCEEDED);
		assertThat(this.node.count("jobqueue_job")).isPositive();
	}

	@Test
	void noneIsClaimedOfAQueueThatIsPaused() {
		List<Long> ids = enqueue(1_000);
		this.node.start();
		Awaitility.await().until(() -> this.claimedAhead.get() > 10);
		this.other.queue.pause("default");
		Awaitility.await().until(() -> this.node.worker().health().held() == 0);
		int ranUntilThen = this.ran.size();
		assertThat(ranUntilThen).isLessThan(1_000);
		assertThat(this.node.sql.queryForObject("SELECT COUNT(*) FROM jobqueue_job WHERE state = 1", Long.class))
			.isZero();
		this.other.queue.resume("default");
		this.node.awaitEmpty();
		assertThat(this.ran).isEqualTo(ids);
	}

	@Test
	void aWorkerThatStopsLeavesTheRestToOthers() {
		List<Long> ids = enqueue(500);
		this.node.start();
		Awaitility.await().until(() -> this.claimedAhead.get() > 10);
		this.node.close();
		assertThat(this.ran).hasSizeLessThan(500);
		assertThat(this.node.sql.queryForObject("SELECT COUNT(*) FROM jobqueue_job WHERE state = 1", Long.class))
			.isZero();
		this.other.start();
		this.other.awaitEmpty();
		assertThat(this.ran).isEqualTo(ids);
	}

	/** The worker does not know of the job that it has claimed. */
	@Test
	void aJobIsGivenBackWhoseClaimHadNoAnswer() {
		this.lostCommits.set(3);
		List<Long> ids = enqueue(50);
		this.node.start();
		this.node.awaitEmpty();
		assertThat(this.lostCommits).hasValueLessThanOrEqualTo(0);
		assertThat(this.ran).isEqualTo(ids);
		assertThat(this.node.count("jobqueue_archive")).isEqualTo(50);
	}

}
