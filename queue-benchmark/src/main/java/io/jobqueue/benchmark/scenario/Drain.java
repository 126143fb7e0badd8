package io.jobqueue.benchmark.scenario;

import java.time.Duration;
import java.util.function.IntFunction;

import io.jobqueue.benchmark.Measurement;
import io.jobqueue.benchmark.system.QueueSystem;
import io.jobqueue.benchmark.system.Work;

/**
 * Jobs that are all ready when the worker starts; over when the last completion is
 * committed.
 *
 * @param jobs how many
 * @param slots how many handlers run at once, where the system can be told
 * @param work what the handlers do
 */
record Drain(int jobs, int slots, IntFunction<Work> work) implements Scenario {

	private static final Duration LONGEST = Duration.ofMinutes(30);

	@Override
	public void prepare(QueueSystem system, int jobs) {
		system.enqueueAll(jobs);
	}

	@Override
	public Measurement run(QueueSystem system, int jobs) throws InterruptedException {
		Work todo = this.work.apply(this.slots);
		long start = System.nanoTime();
		system.start(todo);
		while (todo.runs().sum() < jobs || system.hasUnfinished()) {
			if (System.nanoTime() - start > LONGEST.toNanos()) {
				throw new IllegalStateException(
						"Only " + todo.runs().sum() + " of " + jobs + " jobs ran in " + LONGEST);
			}
			Thread.sleep(5);
		}
		return new Measurement(jobs, Duration.ofNanos(System.nanoTime() - start));
	}

}
