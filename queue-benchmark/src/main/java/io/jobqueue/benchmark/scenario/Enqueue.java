package io.jobqueue.benchmark.scenario;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import io.jobqueue.benchmark.Measurement;
import io.jobqueue.benchmark.Trial;

/**
 * Jobs that are enqueued one by one, each in a transaction of its own.
 *
 * @param jobs how many
 * @param threads by how many threads
 */
record Enqueue(int jobs, int threads) implements Scenario {

	@Override
	public Measurement run(Trial trial) throws Exception {
		ConcurrentLinkedQueue<Long> latencies = new ConcurrentLinkedQueue<>();
		ExecutorService executor = Executors.newFixedThreadPool(this.threads);
		long start = System.nanoTime();
		List<Future<?>> done = new ArrayList<>();
		for (int thread = 0; thread < this.threads; thread++) {
			done.add(executor.submit(() -> {
				for (int i = 0; i < trial.jobs() / this.threads; i++) {
					long before = System.nanoTime();
					trial.system().enqueueOne();
					latencies.add(System.nanoTime() - before);
				}
			}));
		}
		for (Future<?> one : done) {
			one.get();
		}
		Duration took = Duration.ofNanos(System.nanoTime() - start);
		executor.shutdown();
		return new Measurement(latencies.size(), took, latencies.stream().mapToLong(Long::longValue).toArray());
	}

}
