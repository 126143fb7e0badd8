package io.jobqueue.proxy;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import javax.sql.DataSource;

import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.PayloadFormat;
import io.jobqueue.database.Database;
import io.jobqueue.node.QueueNode;
import io.jobqueue.node.Worker;
import io.jobqueue.retry.RetryPolicy;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Finish;
import io.jobqueue.store.PayloadTypes;
import io.jobqueue.store.PayloadWriter;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.store.StoredJobQueue;
import io.jobqueue.test.TestDatabase;
import io.jobqueue.test.TestSchema;
import io.jobqueue.worker.Extensions;
import io.jobqueue.worker.Handler;
import io.jobqueue.worker.Handlers;
import io.jobqueue.worker.Outcome;
import io.jobqueue.worker.WorkerListener;
import io.jobqueue.worker.WorkerSettings;
import org.apache.shardingsphere.driver.api.ShardingSphereDataSourceFactory;
import org.apache.shardingsphere.infra.algorithm.core.config.AlgorithmConfiguration;
import org.apache.shardingsphere.readwritesplitting.config.ReadwriteSplittingRuleConfiguration;
import org.apache.shardingsphere.readwritesplitting.config.rule.ReadwriteSplittingDataSourceGroupRuleConfiguration;
import org.apache.shardingsphere.readwritesplitting.transaction.TransactionalReadQueryStrategy;
import org.apache.shardingsphere.single.config.SingleRuleConfiguration;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * A real splitter, ShardingSphere-JDBC, sends reads to a copy that has stopped following.
 */
class ReadWriteSplittingTests {

	private static final WorkerSettings.Timing QUICK = new WorkerSettings.Timing(Duration.ofMillis(200),
			Duration.ofMillis(200), Duration.ofSeconds(2), Duration.ofSeconds(5));

	private TestSchema writes;

	private TestSchema copy;

	private DataSource splitting;

	private QueueNode node;

	/** Looks at what was written, past the splitter. */
	private StoredJobQueue straight;

	private StoredJobQueue queue;

	private final Queue<Outcome> outcomes = new ConcurrentLinkedQueue<>();

	private Worker worker;

	@BeforeEach
	void split() throws SQLException {
		TestDatabase database = TestDatabase.MYSQL;
		assumeTrue(database.isAvailable(), database::whyNot);
		this.writes = database.create();
		this.copy = database.create();
		Map<String, DataSource> servers = new LinkedHashMap<>();
		servers.put("writes", this.writes.pool(""));
		servers.put("copy", this.copy.pool(""));
		ReadwriteSplittingRuleConfiguration rule = new ReadwriteSplittingRuleConfiguration(
				List.of(new ReadwriteSplittingDataSourceGroupRuleConfiguration("queue", "writes", List.of("copy"),
						TransactionalReadQueryStrategy.PRIMARY, "first")),
				Map.of("first", new AlgorithmConfiguration("ROUND_ROBIN", new Properties())));
		this.splitting = ShardingSphereDataSourceFactory.createDataSource(servers,
				List.of(rule, new SingleRuleConfiguration(List.of("*.*"), null)), new Properties());
		this.node = QueueNode.on(new Database(this.splitting), StoreSettings.DEFAULT);
		this.queue = this.node.queue(new PayloadWriter(PayloadFormat.text(), PayloadTypes.UNKNOWN, 1024 * 1024));
		this.straight = QueueNode.on(new Database(this.writes.dataSource()), StoreSettings.DEFAULT)
			.queue(new PayloadWriter(PayloadFormat.text(), PayloadTypes.UNKNOWN, 1024 * 1024));
	}

	@AfterEach
	void close() throws Exception {
		if (this.worker != null) {
			this.worker.stop();
		}
		if (this.splitting instanceof AutoCloseable closeable) {
			closeable.close();
		}
		if (this.copy != null) {
			this.copy.close();
		}
		if (this.writes != null) {
			this.writes.close();
		}
	}

	private void start(Handler... handlers) {
		WorkerListener listener = new WorkerListener() {

			@Override
			public void finished(ClaimedJob job, Outcome outcome, Duration duration, @Nullable Finish how) {
				ReadWriteSplittingTests.this.outcomes.add(outcome);
			}

		};
		this.worker = this.node.worker(new Handlers(List.of(handlers)),
				this.node.handlerTransaction(new JdbcTransactionManager(this.splitting)),
				WorkerSettings.named("split").with(QUICK), Extensions.listener(listener));
		this.node.listeners().add(this.worker);
		this.worker.start();
	}

	private static Handler handler(String type, boolean transactional, Handler.Invocation invocation) {
		return new Handler(type, invocation, RetryPolicy.DEFAULT, Duration.ofMinutes(1), transactional);
	}

	private void await(long id, JobState state) {
		Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.until(() -> this.straight.find(id).orElseThrow().state() == state);
	}

	@Test
	void readsGoToTheCopy() {
		long id = this.straight.enqueue("any");
		assertThat(new JdbcTemplate(this.splitting).queryForList("SELECT id FROM jobqueue_job", Long.class)).isEmpty();
		assertThat(this.straight.find(id)).isPresent();
	}

	@Test
	void everyJobRunsOnceWithItsPayload() {
		AtomicInteger characters = new AtomicInteger();
		start(handler("work", false, (payload, job) -> characters.addAndGet(payload.length())));
		List<NewJob> jobs = new ArrayList<>();
		IntStream.range(0, 50).forEach((number) -> jobs.add(NewJob.of("work", "x".repeat(100))));
		IntStream.range(0, 50).forEach((number) -> jobs.add(NewJob.of("work", "x".repeat(10_000))));
		List<Long> ids = this.queue.enqueueAll(jobs);
		ids.forEach((id) -> await(id, JobState.SUCCEEDED));
		assertThat(characters).hasValue(50 * 100 + 50 * 10_000);
		assertThat(ids).allMatch((id) -> this.straight.find(id).orElseThrow().attempt() == 1);
		assertThat(this.outcomes).hasSize(100).containsOnly(Outcome.SUCCEEDED);
	}

	@Test
	void effectsOfTransactionalHandlersAreExact() {
		JdbcTemplate direct = new JdbcTemplate(this.writes.dataSource());
		JdbcTemplate effects = new JdbcTemplate(this.splitting);
		start(handler("post", true, (payload, job) -> {
			effects.update("UPDATE jobqueue_queue SET lifo = 1 - lifo WHERE name = 'ledger'");
			effects.update("INSERT INTO jobqueue_queue (name) VALUES (?)", "job-" + job.id());
		}));
		direct.update("INSERT INTO jobqueue_queue (name) VALUES ('ledger')");
		List<Long> ids = this.queue.enqueueAll(IntStream.range(0, 21).mapToObj((number) -> NewJob.of("post")).toList());
		ids.forEach((id) -> await(id, JobState.SUCCEEDED));
		assertThat(direct.queryForObject("SELECT COUNT(*) FROM jobqueue_queue WHERE name LIKE 'job-%'", Long.class))
			.isEqualTo(21);
		assertThat(direct.queryForObject("SELECT lifo FROM jobqueue_queue WHERE name = 'ledger'", Integer.class))
			.isEqualTo(1);
	}

	/**
	 * What the copy does not show is not lost.
	 */
	@Test
	void whatRunsIsNotTakenForCancelled() {
		CountDownLatch done = new CountDownLatch(1);
		AtomicInteger interrupted = new AtomicInteger();
		start(handler("long", false, (payload, job) -> {
			try {
				done.await(1, TimeUnit.MINUTES);
			}
			catch (InterruptedException ex) {
				interrupted.incrementAndGet();
				throw ex;
			}
		}));
		long id = this.queue.enqueue("long");
		await(id, JobState.RUNNING);
		Awaitility.await().during(QUICK.heartbeatInterval().multipliedBy(10)).until(() -> interrupted.get() == 0);
		done.countDown();
		await(id, JobState.SUCCEEDED);
		assertThat(interrupted).hasValue(0);
		assertThat(this.straight.find(id).orElseThrow().attempt()).isEqualTo(1);
	}

	@Test
	void uniqueKeysHoldAndWhatWasEnqueuedByOthersIsFound() {
		AtomicInteger runs = new AtomicInteger();
		start(handler("work", false, (payload, job) -> runs.incrementAndGet()));
		long first = this.queue.enqueue(NewJob.of("work").uniqueKey("one").delay(Duration.ofHours(1)));
		assertThat(this.queue.enqueue(NewJob.of("work").uniqueKey("one"))).isEqualTo(first);
		assertThat(this.queue.cancel(first)).isTrue();
		await(this.straight.enqueue("work"), JobState.SUCCEEDED);
		assertThat(runs).hasValue(1);
		assertThat(this.worker.health().problem()).isEmpty();
	}

}
