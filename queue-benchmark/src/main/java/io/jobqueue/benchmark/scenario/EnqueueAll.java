package io.jobqueue.benchmark.scenario;

import java.time.Duration;

import io.jobqueue.benchmark.Measurement;
import io.jobqueue.benchmark.system.QueueSystem;

/**
 * Jobs that are enqueued in batches.
 *
 * @param jobs how many
 */
record EnqueueAll(int jobs) implements Scenario {

	@Override
	public Measurement run(QueueSystem system, int jobs) {
		long start = System.nanoTime();
		system.enqueueAll(jobs);
		return new Measurement(jobs, Duration.ofNanos(System.nanoTime() - start));
	}

}
