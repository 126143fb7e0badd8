package io.jobqueue.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import javax.sql.DataSource;

import io.jobqueue.NewJob;
import io.jobqueue.PayloadFormat;
import io.jobqueue.UnknownOutcomeException;
import io.jobqueue.database.Database;
import io.jobqueue.store.Audit;
import io.jobqueue.store.PayloadTypes;
import io.jobqueue.store.PayloadWriter;
import io.jobqueue.store.QueueListeners;
import io.jobqueue.store.SqlFailure;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.store.StoredJobQueue;
import io.jobqueue.store.jdbc.JdbcJobStore;
import io.jobqueue.store.jdbc.JdbcQueues;
import io.jobqueue.store.jdbc.order.JdbcOrderKeys;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * An application that enqueues: by itself, in transactions of its own, with unique keys
 * and without, rolling some back; on a few threads, until it is told to stop. Whatever
 * goes wrong it notes, and goes on.
 */
final class Producer implements AutoCloseable {

	private static final int THREADS = 4;

	private static final int MAX_PAYLOAD = 1024 * 1024;

	private static final int LONGEST_SLEEP = 30;

	/** These have many jobs each. */
	private static final int BUSY_ORDER_KEYS = 20;

	/** These have few. */
	private static final int ORDER_KEYS = 1000;

	static final int LIMIT_KEYS = 3;

	/** The queue that is paused now and then. */
	static final String PAUSED_AT_TIMES = "at-times";

	private final StoredJobQueue queue;

	private final TransactionTemplate transaction;

	private final History history;

	private final Duration pause;

	private final AtomicInteger tokens = new AtomicInteger();

	private final List<Thread> threads = new ArrayList<>();

	private volatile boolean stopped;

	/**
	 * Creates a producer.
	 * @param dataSource the application's database
	 * @param history what is kept of it
	 * @param seed what makes its choices
	 * @param pause how long each thread pauses after each enqueue
	 */
	Producer(DataSource dataSource, History history, long seed, Duration pause) {
		this.queue = queue(dataSource);
		this.transaction = new TransactionTemplate(new JdbcTransactionManager(dataSource));
		this.history = history;
		this.pause = pause;
		for (int i = 0; i < THREADS; i++) {
			Random random = new Random(seed + i);
			this.threads.add(new Thread(() -> goOn(random), "producer-" + i));
		}
	}

	static StoredJobQueue queue(DataSource dataSource) {
		return queue(new Database(dataSource));
	}

	static StoredJobQueue queue(Database database) {
		return new StoredJobQueue(new JdbcJobStore(database, StoreSettings.DEFAULT), new JdbcQueues(database),
				new JdbcOrderKeys(database, System::nanoTime),
				new PayloadWriter(PayloadFormat.text(), PayloadTypes.UNKNOWN, MAX_PAYLOAD), new QueueListeners(),
				Audit.none());
	}

	static String payload(String token, long sleep) {
		return "token=" + token + " sleep=" + sleep;
	}

	Producer start() {
		this.threads.forEach(Thread::start);
		return this;
	}

	private void goOn(Random random) {
		try {
			while (!this.stopped) {
				enqueue(random);
				Thread.sleep(this.pause.toMillis());
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private void enqueue(Random random) {
		String token = "t" + this.tokens.incrementAndGet();
		String type = type(random.nextInt(100));
		String key = (random.nextInt(100) < 30) ? "key-" + token : null;
		int how = random.nextInt(100);
		NewJob job = NewJob.of(type, payload(token, random.nextInt(LONGEST_SLEEP)))
			.queue((random.nextInt(100) < 15) ? PAUSED_AT_TIMES : "default");
		if (random.nextInt(100) < 25) {
			job = job.orderKey(orderKey(random));
		}
		int limitKey = random.nextInt(LIMIT_KEYS + 1);
		if (type.equals(ChaosWorker.LIMITED) && limitKey > 0) {
			job = job.limitKey(limitKey(limitKey));
		}
		enqueue(token, (key != null) ? job.uniqueKey(key) : job, key, how);
	}

	private static String orderKey(Random random) {
		return random.nextBoolean() ? "busy-" + random.nextInt(BUSY_ORDER_KEYS) : "order-" + random.nextInt(ORDER_KEYS);
	}

	static String limitKey(int number) {
		return "limit-" + number;
	}

	private static String type(int percent) {
		if (percent < 5) {
			return ChaosWorker.FAILING;
		}
		if (percent < 20) {
			return ChaosWorker.LIMITED;
		}
		if (percent < 40) {
			return ChaosWorker.BATCH;
		}
		return (percent < 60) ? ChaosWorker.LEDGER : ChaosWorker.EFFECT;
	}

	private void enqueue(String token, NewJob job, @Nullable String key, int how) {
		this.history.invoke(token, job.type(), key);
		try {
			if (how >= 30) {
				this.history.ok(token, enqueueUntilKnown(job));
			}
			else {
				enqueueInTransaction(token, job, how >= 10);
			}
		}
		catch (UnknownOutcomeException ex) {
			this.history.unknown(token, ex);
		}
		catch (RuntimeException ex) {
			this.history.fail(token, ex);
		}
	}

	/** With a unique key, whoever is told that nobody knows may simply ask again. */
	private long enqueueUntilKnown(NewJob job) {
		try {
			return this.queue.enqueue(job);
		}
		catch (UnknownOutcomeException ex) {
			if (job.uniqueKey() == null) {
				throw ex;
			}
		}
		try {
			return this.queue.enqueue(job);
		}
		catch (RuntimeException ex) {
			// Whatever this says, the first may have been committed.
			throw new UnknownOutcomeException("Asked twice", ex);
		}
	}

	private void enqueueInTransaction(String token, NewJob job, boolean commit) {
		AtomicBoolean committing = new AtomicBoolean();
		try {
			long id = this.transaction.execute((status) -> {
				long enqueued = this.queue.enqueue(job);
				if (!commit) {
					status.setRollbackOnly();
				}
				committing.set(commit);
				return enqueued;
			});
			if (commit) {
				this.history.ok(token, id);
			}
			else {
				this.history.fail(token, new IllegalStateException("rolled back"));
			}
		}
		catch (RuntimeException ex) {
			if (!committing.get() || SqlFailure.isRefusedCommit(ex) || SqlFailure.isConflict(ex)) {
				throw ex;
			}
			// It is Spring's own exception that tells of a commit whose outcome is
			// unknown.
			this.history.unknown(token, ex);
		}
	}

	/** Lets what is under way end, and enqueues no more. */
	void stop() {
		this.stopped = true;
		try {
			for (Thread thread : this.threads) {
				thread.join(Duration.ofMinutes(2).toMillis());
				if (thread.isAlive()) {
					throw new IllegalStateException(thread.getName() + " does not end");
				}
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while the producer stopped", ex);
		}
	}

	@Override
	public void close() {
		this.stopped = true;
		this.threads.forEach(Thread::interrupt);
	}

}
