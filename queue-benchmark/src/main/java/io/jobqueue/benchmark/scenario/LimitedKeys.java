package io.jobqueue.benchmark.scenario;

import java.time.Duration;

import io.jobqueue.benchmark.Measurement;
import io.jobqueue.benchmark.Trial;
import io.jobqueue.benchmark.system.Limited;
import io.jobqueue.benchmark.system.Work;

/**
 * Jobs of many limit keys, two of each at once, that are all there when the worker
 * starts.
 *
 * @param jobs how many
 * @param keys how many keys they have
 */
record LimitedKeys(int jobs, int keys) implements Scenario {

	private static final int SLOTS = 8;

	@Override
	public void prepare(Trial trial) {
		trial.system().limit(Limited.TWO_AT_ONCE);
		trial.system().enqueueLimited(Limited.TWO_AT_ONCE, trial.jobs(), this.keys);
	}

	@Override
	public Measurement run(Trial trial) throws InterruptedException {
		Work work = Work.nothing(SLOTS);
		Stopwatch watch = new Stopwatch();
		trial.system().start(work);
		Duration took = watch.until(() -> work.limitedRuns().sum() >= trial.jobs() && !trial.system().hasUnfinished(),
				() -> work.limitedRuns().sum() + " of " + trial.jobs() + " jobs ran");
		return new Measurement(trial.jobs(), took);
	}

}
