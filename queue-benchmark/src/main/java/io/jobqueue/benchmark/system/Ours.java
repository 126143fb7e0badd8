package io.jobqueue.benchmark.system;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import com.zaxxer.hikari.HikariDataSource;
import io.jobqueue.NewJob;
import io.jobqueue.PayloadFormat;
import io.jobqueue.benchmark.Server;
import io.jobqueue.retry.BackoffPolicy;
import io.jobqueue.retry.RetryPolicy;
import io.jobqueue.store.QueueListeners;
import io.jobqueue.store.StoredJobQueue;
import io.jobqueue.store.jdbc.Database;
import io.jobqueue.store.jdbc.JdbcJobStore;
import io.jobqueue.store.jdbc.JdbcQueues;
import io.jobqueue.store.jdbc.JdbcWorkerSessions;
import io.jobqueue.store.jdbc.StoreSettings;
import io.jobqueue.worker.Handler;
import io.jobqueue.worker.HandlerTransaction;
import io.jobqueue.worker.Handlers;
import io.jobqueue.worker.Stores;
import io.jobqueue.worker.Worker;
import io.jobqueue.worker.WorkerListener;
import io.jobqueue.worker.WorkerSettings;
import org.jspecify.annotations.Nullable;

import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.jdbc.support.JdbcTransactionManager;

/**
 * The queue itself, with its default settings but for the slots.
 */
final class Ours implements QueueSystem {

	private static final int BATCH = 10_000;

	private final HikariDataSource pool;

	private final JdbcTemplate sql;

	private final Database database;

	private final JdbcJobStore store;

	private final Stores stores;

	private final QueueListeners listeners = new QueueListeners();

	private final StoredJobQueue queue;

	private @Nullable Worker worker;

	Ours(Server server, boolean keepSucceeded) {
		this.pool = server.pool("", 24);
		this.sql = new JdbcTemplate(this.pool);
		this.database = new Database(this.pool);
		StoreSettings defaults = StoreSettings.DEFAULT;
		this.store = new JdbcJobStore(this.database,
				new StoreSettings(keepSucceeded, defaults.inlinePayload(), defaults.uniqueKeyRetention()));
		this.stores = new Stores(this.store, new JdbcWorkerSessions(this.database), new JdbcQueues(this.database));
		this.queue = new StoredJobQueue(this.store, this.stores.queues(), PayloadFormat.text(), 1024 * 1024,
				this.listeners);
	}

	static void createTables(HikariDataSource pool) {
		new ResourceDatabasePopulator(new ClassPathResource("io/jobqueue/schema/mysql/V1__job_queue.sql"))
			.execute(pool);
	}

	@Override
	public void createTables() {
		createTables(this.pool);
		this.sql.execute(Work.EFFECT_TABLE);
	}

	@Override
	public void enqueueAll(int jobs) {
		for (int start = 0; start < jobs; start += BATCH) {
			List<NewJob> batch = IntStream.range(start, Math.min(jobs, start + BATCH))
				.mapToObj((i) -> NewJob.of("work", PAYLOAD))
				.toList();
			this.queue.enqueueAll(batch);
		}
	}

	@Override
	public long enqueueOne() {
		return this.queue.enqueue("work", PAYLOAD);
	}

	@Override
	public void start(Work work) {
		RetryPolicy retry = new RetryPolicy(3, new BackoffPolicy(Duration.ofSeconds(1), 2, Duration.ofHours(1), 0.2),
				List.of());
		Handler handler = new Handler("work", (payload, job) -> {
			work.onStart().accept(job.id());
			if (work.transactional()) {
				this.sql.update(Work.EFFECT, job.id());
			}
			work.runs().increment();
		}, retry, Duration.ofHours(1), work.transactional());
		WorkerSettings settings = WorkerSettings.named("benchmark");
		Worker started = new Worker(this.stores, new Handlers(List.of(handler)),
				new HandlerTransaction(new JdbcTransactionManager(this.pool), this.pool, this.store),
				settings.with(settings.slots().withConcurrency(work.slots())), new WorkerListener() {
				});
		this.listeners.add(started);
		started.start();
		this.worker = started;
	}

	@Override
	public boolean hasUnfinished() {
		return this.sql.queryForObject("SELECT EXISTS (SELECT 1 FROM jobqueue_job)", Boolean.class);
	}

	@Override
	public void close() {
		if (this.worker != null) {
			this.worker.stop();
		}
		this.pool.close();
	}

}
