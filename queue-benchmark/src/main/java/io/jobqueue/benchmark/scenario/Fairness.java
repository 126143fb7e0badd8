package io.jobqueue.benchmark.scenario;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

import io.jobqueue.benchmark.Measurement;
import io.jobqueue.benchmark.Trial;
import io.jobqueue.benchmark.process.ChildEnqueuer;
import io.jobqueue.benchmark.process.EnqueuerMain;
import io.jobqueue.benchmark.system.Backlog;
import io.jobqueue.benchmark.system.Work;

/**
 * How long short jobs wait, which another process enqueues at a steady rate, while the
 * worker has long jobs of another queue to do, all of one priority.
 *
 * @param jobs how many short jobs
 * @param backlog the long jobs
 */
record Fairness(int jobs, Backlog backlog) implements Scenario {

	private static final int SLOTS = 8;

	private static final long SETTLE_MILLIS = 5_000;

	@Override
	public void prepare(Trial trial) throws InterruptedException {
		trial.system().fill(this.backlog);
		trial.server().settle();
	}

	@Override
	public Measurement run(Trial trial) throws Exception {
		Map<Long, Long> started = new ConcurrentHashMap<>();
		trial.system().start(new Work(false, SLOTS, new LongAdder(), (id) -> started.put(id, EnqueuerMain.micros())));
		Thread.sleep(SETTLE_MILLIS);
		try (ChildEnqueuer enqueuer = new ChildEnqueuer(trial.name(), trial.server())) {
			enqueuer.begin();
			trial.costsFromNow();
			Stopwatch watch = new Stopwatch();
			Duration took = watch.until(() -> waits(enqueuer.committed(), started).length >= trial.jobs(),
					() -> started.size() + " of " + trial.jobs() + " jobs have started");
			return new Measurement(trial.jobs(), took, waits(enqueuer.committed(), started));
		}
	}

	private static long[] waits(Map<Long, Long> committed, Map<Long, Long> started) {
		return committed.entrySet()
			.stream()
			.filter((job) -> started.containsKey(job.getKey()))
			.mapToLong((job) -> Math.max(0, started.get(job.getKey()) - job.getValue()) * 1_000)
			.toArray();
	}

}
