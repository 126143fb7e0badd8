package io.jobqueue.benchmark.scenario;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import io.jobqueue.benchmark.Measurement;
import io.jobqueue.benchmark.Trial;
import io.jobqueue.benchmark.process.ChildWorker;
import io.jobqueue.benchmark.process.WorkerReport;

/**
 * Jobs that are all ready when the workers start, each in a process of its own.
 *
 * @param jobs how many
 * @param warmUpShare how many times as many jobs run, for each process, before the clock
 * starts: a new JVM is busy with itself
 * @param count how many processes
 * @param jvmArguments arguments of their JVMs
 */
record WorkerProcesses(int jobs, int warmUpShare, int count, List<String> jvmArguments) implements Scenario {

	@Override
	public void prepare(Trial trial) {
		// Those that cannot tell say so before they are given any work.
		trial.system().incidents();
		trial.system().enqueueAll(warmUp(trial) + trial.jobs());
	}

	@Override
	public Measurement run(Trial trial) throws Exception {
		List<ChildWorker> workers = new ArrayList<>();
		try {
			for (int i = 0; i < this.count; i++) {
				workers.add(ChildWorker.start(this.jvmArguments, trial.name(), trial.server()));
			}
			for (ChildWorker worker : workers) {
				worker.awaitReady();
			}
			return measure(trial, workers);
		}
		finally {
			workers.forEach(ChildWorker::close);
		}
	}

	private int warmUp(Trial trial) {
		return this.warmUpShare * this.count * trial.jobs();
	}

	private Measurement measure(Trial trial, List<ChildWorker> workers) throws Exception {
		for (ChildWorker worker : workers) {
			worker.begin();
		}
		int all = warmUp(trial) + trial.jobs();
		new Stopwatch().until(() -> ran(workers) >= warmUp(trial), () -> ran(workers) + " jobs ran to warm up");
		long before = ran(workers);
		trial.costsFromNow();
		long processorTime = processorNanos(workers);
		Stopwatch watch = new Stopwatch();
		// The table is asked only at the end: it would read all rows just deleted.
		Duration took = watch.until(() -> ran(workers) >= all && !trial.system().hasUnfinished(),
				() -> ran(workers) + " of " + all + " jobs ran");
		processorTime = processorNanos(workers) - processorTime;
		WorkerReport reports = WorkerReport.NOTHING;
		for (ChildWorker worker : workers) {
			reports = reports.and(worker.end());
		}
		return new Measurement(all - before, took).with("ran", reports.ran())
			.with("failed", reports.failed())
			.with("stale", reports.stale())
			.with("conflicts", reports.conflicts())
			.with("peak_heap_mb", reports.peakHeap() / 1024 / 1024)
			.with("workers_us_per_job", String.format(Locale.ROOT, "%.1f", processorTime / 1e3 / (all - before)));
	}

	private static long ran(List<ChildWorker> workers) {
		return workers.stream().map(ChildWorker::report).mapToLong(WorkerReport::ran).sum();
	}

	private static long processorNanos(List<ChildWorker> workers) {
		return workers.stream().map(ChildWorker::processorTime).mapToLong(Duration::toNanos).sum();
	}

}
