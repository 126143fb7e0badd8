package io.jobqueue.benchmark.scenario;

import java.time.Duration;

import io.jobqueue.benchmark.Measurement;
import io.jobqueue.benchmark.Trial;

/**
 * Jobs that are enqueued in batches.
 *
 * @param jobs how many
 */
record EnqueueAll(int jobs) implements Scenario {

	@Override
	public Measurement run(Trial trial) {
		long start = System.nanoTime();
		trial.system().enqueueAll(trial.jobs());
		return new Measurement(trial.jobs(), Duration.ofNanos(System.nanoTime() - start));
	}

}
