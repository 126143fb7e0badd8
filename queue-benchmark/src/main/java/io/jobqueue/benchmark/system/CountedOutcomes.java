package io.jobqueue.benchmark.system;

import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;

import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Finish;
import io.jobqueue.worker.Outcome;
import io.jobqueue.worker.WorkerListener;
import org.jspecify.annotations.Nullable;

/**
 * Counts the attempts that did not succeed.
 */
final class CountedOutcomes implements WorkerListener {

	private final LongAdder failed = new LongAdder();

	private final LongAdder stale = new LongAdder();

	@Override
	public void finished(ClaimedJob job, Outcome outcome, Duration duration, @Nullable Finish how) {
		if (outcome == Outcome.STALE) {
			this.stale.increment();
		}
		else if (outcome != Outcome.SUCCEEDED) {
			this.failed.increment();
		}
	}

	long failed() {
		return this.failed.sum();
	}

	long stale() {
		return this.stale.sum();
	}

}
