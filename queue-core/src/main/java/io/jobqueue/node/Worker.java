package io.jobqueue.node;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;

import io.jobqueue.store.EnqueuedJob;
import io.jobqueue.store.QueueListener;
import io.jobqueue.worker.Extensions;
import io.jobqueue.worker.Handlers;
import io.jobqueue.worker.WorkerHealth;
import io.jobqueue.worker.WorkerSettings;
import io.jobqueue.worker.run.HandlerTransaction;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One worker: claims jobs, runs them on its slots, commits their results, and keeps its
 * session alive. Can be stopped and started again; each start opens a new session.
 */
public final class Worker implements QueueListener {

	private static final Logger log = LoggerFactory.getLogger(Worker.class);

	private final Stores stores;

	private final Handlers handlers;

	private final HandlerTransaction transaction;

	private final WorkerSettings settings;

	private final Extensions extensions;

	private final LongSupplier nanoTime;

	private volatile @Nullable RunningWorker running;

	/**
	 * Creates a worker; nothing is started yet.
	 * @param stores where jobs, sessions and queues are
	 * @param handlers what runs the jobs
	 * @param transaction what runs transactional handlers
	 * @param settings how it works
	 * @param extensions what the application has it do beside its work
	 * @param nanoTime the monotonic clock
	 */
	Worker(Stores stores, Handlers handlers, HandlerTransaction transaction, WorkerSettings settings,
			Extensions extensions, LongSupplier nanoTime) {
		this.stores = stores;
		this.handlers = handlers;
		this.transaction = transaction;
		this.settings = settings;
		this.extensions = extensions;
		this.nanoTime = nanoTime;
	}

	/**
	 * Starts the worker, if it is not running. It starts even if the database cannot be
	 * reached, and works once it can.
	 */
	public synchronized void start() {
		if (this.running != null) {
			return;
		}
		RunningWorker started = new RunningWorker(this.stores, this.handlers, this.transaction, this.settings,
				this.extensions, this.nanoTime);
		try {
			started.start();
		}
		catch (RuntimeException | Error ex) {
			started.stop();
			throw ex;
		}
		this.running = started;
		log.info("Worker '{}' started: {} slots, {}, handlers for {}", this.settings.name(),
				this.settings.slots().concurrency(),
				this.settings.queues().isEmpty() ? "every queue" : "queues " + this.settings.queues(),
				this.handlers.types());
	}

	/**
	 * Stops the worker, if it is running: lets attempts end within the grace period and
	 * gives the rest back. Blocks until that is done.
	 */
	public synchronized void stop() {
		RunningWorker running = this.running;
		if (running == null) {
			return;
		}
		log.info("Worker '{}' stops", this.settings.name());
		this.running = null;
		running.stop();
		log.info("Worker '{}' stopped", this.settings.name());
	}

	/**
	 * Whether the worker was started and not stopped.
	 * @return true if so
	 */
	public boolean isRunning() {
		return this.running != null;
	}

	/**
	 * How the worker is.
	 * @return its health now
	 */
	public WorkerHealth health() {
		RunningWorker running = this.running;
		return (running != null) ? running.health() : new WorkerHealth(false, false, "stopped", 0, Duration.ZERO,
				Duration.ZERO, this.settings.slots().concurrency(), 0, 0, Set.of());
	}

	/**
	 * The worker's name.
	 * @return the name that operators know it by
	 */
	public String name() {
		return this.settings.name();
	}

	@Override
	public void enqueued(List<EnqueuedJob> jobs) {
		RunningWorker running = this.running;
		if (running != null) {
			running.enqueued(jobs);
		}
	}

	@Override
	public void becameReady() {
		wakeUp();
	}

	/**
	 * Lets the worker look for jobs now. A hint that jobs may have been committed, by
	 * this node or another.
	 */
	public void wakeUp() {
		RunningWorker running = this.running;
		if (running != null) {
			running.wakeUp();
		}
	}

	@Override
	public void cancelled(long id) {
		RunningWorker running = this.running;
		if (running != null) {
			running.cancelled(id);
		}
	}

	@Override
	public void paused(String queue, boolean paused) {
		RunningWorker running = this.running;
		if (running != null && paused) {
			running.paused(queue);
		}
		wakeUp();
	}

}
