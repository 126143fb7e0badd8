package io.jobqueue.benchmark.scenario;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

import io.jobqueue.benchmark.Measurement;
import io.jobqueue.benchmark.Trial;
import io.jobqueue.benchmark.system.QueueSystem;
import io.jobqueue.benchmark.system.Work;

/**
 * From the commit of an enqueue to the start of its handler, at a steady rate. The other
 * node is in this process too, for the sake of one clock, but the worker's knows nothing
 * of it.
 *
 * @param jobs how many
 * @param perSecond at what rate
 * @param fromAnotherNode whether they are enqueued by a node that has no worker, or else
 * by the worker's own
 */
record Latency(int jobs, int perSecond, boolean fromAnotherNode) implements Scenario {

	@Override
	public Measurement run(Trial trial) throws InterruptedException {
		if (!this.fromAnotherNode) {
			return measure(trial, trial.system());
		}
		try (QueueSystem other = trial.anotherNode()) {
			trial.costsFromNow();
			return measure(trial, other);
		}
	}

	private Measurement measure(Trial trial, QueueSystem enqueuer) throws InterruptedException {
		Map<Long, Long> started = new ConcurrentHashMap<>();
		Map<Long, Long> committed = new ConcurrentHashMap<>();
		Work work = new Work(false, 8, new LongAdder(), (id) -> started.put(id, System.nanoTime()));
		trial.system().start(work);
		if (enqueuer.enqueueOne() == 0) {
			throw new UnsupportedOperationException("it does not tell when a job starts");
		}
		Thread.sleep(2_000);
		long start = System.nanoTime();
		for (int i = 0; i < trial.jobs(); i++) {
			LockSupport.parkNanos(start + i * 1_000_000_000L / this.perSecond - System.nanoTime());
			committed.put(enqueuer.enqueueOne(), System.nanoTime());
		}
		while (work.runs().sum() <= trial.jobs()) {
			Thread.sleep(5);
		}
		Duration took = Duration.ofNanos(System.nanoTime() - start);
		return new Measurement(trial.jobs(), took,
				committed.entrySet()
					.stream()
					.mapToLong((entry) -> Math.max(0, started.get(entry.getKey()) - entry.getValue()))
					.toArray());
	}

}
