package io.jobqueue.worker.poll;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

import io.jobqueue.NewJob;
import io.jobqueue.poison.Suspicion;
import io.jobqueue.store.EnqueuedJob;
import io.jobqueue.store.OrderKeys.NowReady;
import io.jobqueue.store.ReadyRange;
import io.jobqueue.worker.WorkerSettings;
import io.jobqueue.worker.attempt.OrderSignal;

/**
 * Where jobs were enqueued on this node since the ranges were last read. A job of a queue
 * that had none need not wait for the next read.
 */
public final class NewRanges {

	/** Whoever enqueues to more queues than this at once waits for the next read. */
	private static final int MOST = 1_000;

	private final WorkerSettings settings;

	private final Set<String> types;

	private final OrderSignal orders;

	private final Map<ReadyRange, Long> ranges = new ConcurrentHashMap<>();

	private final AtomicLong last = new AtomicLong();

	/**
	 * Creates the notes.
	 * @param settings which queues the worker serves
	 * @param types the job types that it has handlers for
	 * @param orders is told of jobs with order keys
	 */
	public NewRanges(WorkerSettings settings, Set<String> types, OrderSignal orders) {
		this.settings = settings;
		this.types = Set.copyOf(types);
		this.orders = orders;
	}

	/**
	 * Notes jobs that are committed.
	 * @param jobs the jobs
	 */
	public void enqueued(List<EnqueuedJob> jobs) {
		for (EnqueuedJob enqueued : jobs) {
			NewJob job = enqueued.job();
			if (job.orderKey() != null) {
				this.orders.changed();
			}
			else if (job.delay().isZero() && job.availableAt() == null) {
				ready(job.type(), job.queue(), job.priority());
			}
		}
	}

	/**
	 * Notes a job that is due.
	 * @param job the job
	 */
	public void ready(NowReady job) {
		ready(job.type(), job.queue(), job.priority());
	}

	/**
	 * Notes a job that is due.
	 * @param type its type
	 * @param queue its queue
	 * @param priority its priority
	 */
	private void ready(String type, String queue, int priority) {
		if (this.types.contains(type) && this.settings.serves(queue) && this.ranges.size() < MOST) {
			this.ranges.put(new ReadyRange(queue, priority, 0, Suspicion.Degree.NONE, false, Duration.ZERO),
					this.last.incrementAndGet());
		}
	}

	/**
	 * What was noted.
	 * @return the ranges, as of no type and first in first out, each with the number of
	 * its latest note
	 */
	Map<ReadyRange, Long> all() {
		return this.ranges.isEmpty() ? Map.of() : Map.copyOf(this.ranges);
	}

	/**
	 * Forgets notes that a read has shown which began after them. One that was noted
	 * again since is kept.
	 */
	void forget(Map<ReadyRange, Long> read) {
		read.forEach(this.ranges::remove);
	}

}
