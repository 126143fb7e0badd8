package io.jobqueue.benchmark.scenario;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

import io.jobqueue.benchmark.Measurement;
import io.jobqueue.benchmark.system.QueueSystem;
import io.jobqueue.benchmark.system.Work;

/**
 * From the commit of an enqueue to the start of its handler on the same node, at a steady
 * rate.
 *
 * @param jobs how many
 * @param perSecond at what rate
 */
record Latency(int jobs, int perSecond) implements Scenario {

	@Override
	public Measurement run(QueueSystem system, int jobs) throws InterruptedException {
		Map<Long, Long> started = new ConcurrentHashMap<>();
		Map<Long, Long> committed = new ConcurrentHashMap<>();
		Work work = new Work(false, 8, new LongAdder(), (id) -> started.put(id, System.nanoTime()));
		system.start(work);
		if (system.enqueueOne() == 0) {
			throw new UnsupportedOperationException("it does not tell when a job starts");
		}
		Thread.sleep(2_000);
		long start = System.nanoTime();
		for (int i = 0; i < jobs; i++) {
			LockSupport.parkNanos(start + i * 1_000_000_000L / this.perSecond - System.nanoTime());
			committed.put(system.enqueueOne(), System.nanoTime());
		}
		while (work.runs().sum() <= jobs) {
			Thread.sleep(5);
		}
		Duration took = Duration.ofNanos(System.nanoTime() - start);
		return new Measurement(jobs, took,
				committed.entrySet()
					.stream()
					.mapToLong((entry) -> Math.max(0, started.get(entry.getKey()) - entry.getValue()))
					.toArray());
	}

}
