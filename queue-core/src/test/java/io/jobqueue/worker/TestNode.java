package io.jobqueue.worker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import javax.sql.DataSource;

import io.jobqueue.CurrentActor;
import io.jobqueue.Job;
import io.jobqueue.JobInterceptor;
import io.jobqueue.JobListener;
import io.jobqueue.JobState;
import io.jobqueue.PayloadFormat;
import io.jobqueue.database.Database;
import io.jobqueue.node.OperatorStores;
import io.jobqueue.node.QueueNode;
import io.jobqueue.node.Stores;
import io.jobqueue.node.Worker;
import io.jobqueue.observe.QueueObserver;
import io.jobqueue.retry.BackoffPolicy;
import io.jobqueue.retry.RetryPolicy;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Finish;
import io.jobqueue.store.JobStore;
import io.jobqueue.store.PayloadTypes;
import io.jobqueue.store.PayloadWriter;
import io.jobqueue.store.QueueListeners;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.store.StoredJobQueue;
import io.jobqueue.store.WorkerSessions;
import io.jobqueue.store.jdbc.JdbcJobStore;
import io.jobqueue.worker.WorkerSettings.Slots;
import io.jobqueue.worker.WorkerSettings.Timing;
import io.jobqueue.worker.run.HandlerTransaction;
import io.jobqueue.worker.run.JobListeners;

import org.awaitility.Awaitility;

import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * One node of an application, without Spring Boot: a queue and a worker with the handlers
 * of a test.
 */
final class TestNode implements AutoCloseable {

	static final RetryPolicy QUICK_RETRY = new RetryPolicy(3,
			new BackoffPolicy(Duration.ofMillis(20), 1, Duration.ofMillis(20), 0), List.of());

	static final Timing QUICK = new Timing(Duration.ofMillis(200), Duration.ofMillis(200), Duration.ofSeconds(2),
			Duration.ofSeconds(5));

	final DataSource dataSource;

	final Database database;

	final JdbcTemplate sql;

	final JdbcJobStore store;

	final Stores stores;

	final OperatorStores operator;

	final QueueListeners listeners = new QueueListeners();

	final StoredJobQueue queue;

	final List<Handler> handlers = new ArrayList<>();

	final Queue<Outcome> outcomes = new ConcurrentLinkedQueue<>();

	WorkerSettings settings = new WorkerSettings("test", List.of(), Slots.DEFAULT.withConcurrency(4), QUICK);

	/** What the worker sees of the store; a test may put faults in between. */
	JobStore storeOfWorker;

	/** What it sees of the sessions. */
	WorkerSessions sessionsOfWorker;

	WorkerListener listener = new WorkerListener() {
	};

	QueueObserver observer = QueueObserver.NONE;

	final List<JobListener> jobListeners = new ArrayList<>();

	final List<JobInterceptor> interceptors = new ArrayList<>();

	/** The application's; null for that of JDBC. */
	PlatformTransactionManager transactionManager;

	private Worker worker;

	TestNode(DataSource dataSource) {
		this(dataSource, new Database(dataSource));
	}

	TestNode(DataSource dataSource, Database database) {
		this(dataSource, database, StoreSettings.DEFAULT);
	}

	TestNode(DataSource dataSource, Database database, StoreSettings settings) {
		this.dataSource = dataSource;
		this.database = database;
		this.sql = new JdbcTemplate(dataSource);
		this.store = new JdbcJobStore(this.database, settings);
		this.storeOfWorker = this.store;
		this.stores = Stores.on(this.database, settings).withJobs(this.store);
		this.operator = OperatorStores.on(this.database, settings);
		this.sessionsOfWorker = this.stores.sessions();
		this.queue = new QueueNode(this.database, this.stores, this.operator, this.listeners, CurrentActor.UNKNOWN)
			.queue(new PayloadWriter(PayloadFormat.text(), PayloadTypes.UNKNOWN, 1024 * 1024));
	}

	TestNode handler(String type, Handler.Invocation invocation) {
		return handler(type, Duration.ofMinutes(1), invocation);
	}

	TestNode handler(String type, Duration timeout, Handler.Invocation invocation) {
		this.handlers.add(new Handler(type, invocation, QUICK_RETRY, timeout, false));
		return this;
	}

	TestNode transactionalHandler(String type, Handler.Invocation invocation) {
		this.handlers.add(new Handler(type, invocation, QUICK_RETRY, Duration.ofMinutes(1), true));
		return this;
	}

	TestNode slots(int concurrency) {
		this.settings = this.settings.with(this.settings.slots().withConcurrency(concurrency));
		return this;
	}

	TestNode timing(Timing timing) {
		this.settings = this.settings.with(timing);
		return this;
	}

	TestNode start() {
		QueueNode seen = new QueueNode(this.database,
				this.stores.withJobs(this.storeOfWorker).withSessions(this.sessionsOfWorker), this.operator,
				this.listeners, CurrentActor.UNKNOWN);
		// Acks are the worker's too, but faults are meant for what it does by itself.
		HandlerTransaction transaction = new QueueNode(this.database, this.stores, this.operator, this.listeners,
				CurrentActor.UNKNOWN)
			.handlerTransaction((this.transactionManager != null) ? this.transactionManager
					: new JdbcTransactionManager(this.dataSource));
		Handlers known = new Handlers(this.handlers);
		WorkerListener ofTest = new WorkerListener() {

			@Override
			public void started(ClaimedJob job, Duration delay) {
				TestNode.this.listener.started(job, delay);
			}

			@Override
			public void finished(ClaimedJob job, Outcome outcome, Duration duration, @Nullable Finish how) {
				TestNode.this.outcomes.add(outcome);
				TestNode.this.listener.finished(job, outcome, duration, how);
			}

		};
		this.worker = seen.worker(known, transaction, this.settings,
				new Extensions(WorkerListener.all(List.of(ofTest, new JobListeners(this.jobListeners, known))),
						this.interceptors, this.observer));
		this.listeners.add(this.worker);
		this.worker.start();
		return this;
	}

	Worker worker() {
		return this.worker;
	}

	Job job(long id) {
		return this.queue.find(id).orElseThrow();
	}

	Job await(long id, JobState state) {
		Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.pollInterval(Duration.ofMillis(5))
			.until(() -> job(id).state() == state);
		return job(id);
	}

	void awaitEmpty() {
		Awaitility.await()
			.atMost(Duration.ofSeconds(60))
			.pollInterval(Duration.ofMillis(20))
			.until(() -> count("jobqueue_job") == 0);
	}

	long count(String table) {
		return this.sql.queryForObject("SELECT COUNT(*) FROM " + table, Long.class);
	}

	@Override
	public void close() {
		if (this.worker != null) {
			this.worker.stop();
		}
	}

}
