package io.jobqueue.worker.finish;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import io.jobqueue.worker.WorkerSettings;
import io.jobqueue.worker.attempt.AttemptResult;
import io.jobqueue.worker.attempt.HeldAttempts;

/**
 * Collects results and has them committed, many at once. A result counts as done, and
 * others are told of it, only after that commit. When it cannot keep up, the worker
 * claims no more jobs, since it holds those whose results wait.
 */
public final class Finisher {

	private final BlockingQueue<AttemptResult> results;

	private final HeldAttempts held;

	private final ResultWriter writer;

	private final DeferredResults deferred;

	private final WorkerSettings.Slots settings;

	private final LongSupplier nanoTime;

	/**
	 * What was taken from the queue and is not dealt with. As large as it can get from
	 * the start; used by the finisher's thread only.
	 */
	private final List<AttemptResult> batch;

	private volatile boolean stopping;

	/**
	 * Creates the finisher.
	 * @param results where results come in; never more than attempts that the worker
	 * holds
	 * @param held these attempts
	 * @param writer commits results
	 * @param deferred those that could not be committed
	 * @param settings how many results are committed at once
	 * @param nanoTime the monotonic clock
	 */
	public Finisher(BlockingQueue<AttemptResult> results, HeldAttempts held, ResultWriter writer,
			DeferredResults deferred, WorkerSettings.Slots settings, LongSupplier nanoTime) {
		this.results = results;
		this.held = held;
		this.writer = writer;
		this.deferred = deferred;
		this.settings = settings;
		this.nanoTime = nanoTime;
		this.batch = new ArrayList<>(settings.flushSize());
	}

	/**
	 * Lets the thread end once nothing is left to commit.
	 */
	public void stop() {
		this.stopping = true;
	}

	/**
	 * Commits the results that have come in.
	 * @return false if there will be no more
	 */
	public boolean step() throws InterruptedException {
		if (!this.batch.isEmpty()) {
			// An earlier step failed in the middle. What it had committed is no longer
			// current.
			this.writer.write(this.batch.stream().map(AttemptResult::maybeDone).toList(), false);
			this.batch.clear();
		}
		this.deferred.tryAgain((again) -> this.writer.write(again, true));
		collect();
		boolean last = this.batch.isEmpty() && this.stopping;
		if (!this.batch.isEmpty()) {
			this.writer.writeNew(List.copyOf(this.batch));
			this.batch.clear();
		}
		return !last && !this.writer.isGivingUp();
	}

	private void collect() throws InterruptedException {
		AttemptResult first = this.results.poll(50, TimeUnit.MILLISECONDS);
		if (first == null) {
			return;
		}
		this.batch.add(first);
		long until = this.nanoTime.getAsLong() + this.settings.flushDelay().toNanos();
		while (this.batch.size() < this.settings.flushSize()) {
			this.results.drainTo(this.batch, this.settings.flushSize() - this.batch.size());
			long left = until - this.nanoTime.getAsLong();
			if (left <= 0 || this.held.size() <= this.batch.size()) {
				break;
			}
			AttemptResult next = this.results.poll(left, TimeUnit.NANOSECONDS);
			if (next != null) {
				this.batch.add(next);
			}
		}
	}

	/**
	 * How many results could not be committed though the database is there.
	 */
	int waiting() {
		return this.deferred.size();
	}

	/**
	 * How many of those could not be committed when they were tried again.
	 */
	public int refusedAgain() {
		return this.deferred.refusedAgain();
	}

	/**
	 * For how long no result could be committed, because the database is not there or
	 * does not write.
	 * @return the time, zero if the last commit took place and no other has begun
	 */
	public Duration failingFor() {
		return this.writer.failingFor();
	}

}
