package io.jobqueue.benchmark.scenario;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;

import io.jobqueue.benchmark.Measurement;
import io.jobqueue.benchmark.Trial;
import io.jobqueue.benchmark.system.QueueSystem;
import io.jobqueue.benchmark.system.Work;

/**
 * Jobs with order keys that are all there when the worker starts. What is measured of one
 * key is also the time from the start of each to the start of the next, which is that
 * from the end of one to the start of the next, since the handlers do nothing.
 *
 * @param jobs how many
 * @param keys how many keys they have
 */
record InOrder(int jobs, int keys) implements Scenario {

	private static final int SLOTS = 8;

	@Override
	public void prepare(Trial trial) {
		trial.system().enqueueInOrder(trial.jobs(), this.keys);
	}

	@Override
	public Measurement run(Trial trial) throws InterruptedException {
		QueueSystem system = trial.system();
		LongAdder runs = new LongAdder();
		Queue<Long> starts = new ConcurrentLinkedQueue<>();
		Stopwatch watch = new Stopwatch();
		system.start(new Work(false, SLOTS, runs, (id) -> starts.add(System.nanoTime())));
		Duration took = watch.until(() -> runs.sum() >= trial.jobs() && !system.hasUnfinished(),
				() -> runs.sum() + " of " + trial.jobs() + " jobs ran");
		return (this.keys > 1) ? new Measurement(trial.jobs(), took)
				: new Measurement(trial.jobs(), took, gaps(List.copyOf(starts)));
	}

	private static long[] gaps(List<Long> starts) {
		long[] gaps = new long[starts.size() - 1];
		for (int i = 0; i < gaps.length; i++) {
			gaps[i] = starts.get(i + 1) - starts.get(i);
		}
		return gaps;
	}

}
