package io.jobqueue.node;

import java.time.Duration;
import java.util.function.LongSupplier;

import io.jobqueue.worker.Extensions;
import io.jobqueue.worker.Handlers;
import io.jobqueue.worker.WorkerSettings;
import io.jobqueue.worker.run.HandlerTransaction;
import io.jobqueue.worker.session.WorkerSession;
import org.jspecify.annotations.Nullable;

/**
 * A worker without threads, for tests: what a worker does at once, it does step by step
 * on the thread that calls it. Timeouts do not interrupt.
 */
public final class SteppedWorker implements AutoCloseable {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private final WorkerParts parts;

	/**
	 * Creates a worker, which holds nothing.
	 * @param stores where jobs, sessions and queues are
	 * @param handlers what runs the jobs
	 * @param transaction the unit of transactional handlers
	 * @param settings how it works
	 * @param extensions what the application has it do beside its work
	 * @param clock the monotonic clock
	 */
	SteppedWorker(Stores stores, Handlers handlers, HandlerTransaction transaction, WorkerSettings settings,
			Extensions extensions, LongSupplier clock) {
		this.parts = new WorkerParts(stores, handlers, transaction, settings, extensions, clock);
	}

	/**
	 * Claims due jobs, as many as there are slots for.
	 * @return whether it holds any now
	 * @throws IllegalStateException if the database does not keep the worker's session
	 */
	public boolean claim() {
		keepSession();
		this.parts.keyLoop.settle();
		int before;
		do {
			before = this.parts.held.size();
			this.parts.round.poll();
		}
		while (this.parts.held.size() > before);
		return before > 0;
	}

	/**
	 * Runs what it has claimed, and commits the results.
	 * @throws InterruptedException if this thread was interrupted meanwhile
	 */
	public void run() throws InterruptedException {
		keepSession();
		this.parts.slots.runWaiting(this.parts.runner);
		long start = System.nanoTime();
		while (this.parts.held.size() > 0) {
			this.parts.finisher.step();
			if (System.nanoTime() - start > PATIENCE.toNanos()) {
				throw new IllegalStateException("The result of a job cannot be committed; the log says why");
			}
			this.parts.slots.runWaiting(this.parts.runner);
		}
	}

	/**
	 * How long until a limit, of which it has found nothing left, may start the next job.
	 * @return the time; null if there is none
	 */
	public @Nullable Duration untilNextStart() {
		return this.parts.limits.untilNextStart();
	}

	private void keepSession() {
		if (this.parts.session.beat() == WorkerSession.Beat.FAILED) {
			throw new IllegalStateException("The worker's session could not be kept; the log says why");
		}
	}

	/**
	 * The id of its session.
	 * @return the id; 0 before the first claim
	 */
	public long session() {
		return this.parts.session.id();
	}

	/**
	 * Ends its session.
	 */
	@Override
	public void close() {
		this.parts.session.close();
	}

}
