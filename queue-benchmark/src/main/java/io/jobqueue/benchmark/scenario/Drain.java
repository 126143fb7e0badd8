package io.jobqueue.benchmark.scenario;

import java.time.Duration;
import java.util.function.IntFunction;
import java.util.function.LongConsumer;

import io.jobqueue.benchmark.Measurement;
import io.jobqueue.benchmark.Trial;
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

	/**
	 * Of jobs whose handlers do nothing.
	 */
	static Drain ofNothing(int jobs) {
		return new Drain(jobs, 8, Work::nothing);
	}

	@Override
	public void prepare(Trial trial) {
		trial.system().enqueueAll(trial.jobs());
	}

	@Override
	public Measurement run(Trial trial) throws InterruptedException {
		return run(trial, (done) -> {
		});
	}

	/**
	 * Measures, and tells all the time how many jobs have run.
	 */
	Measurement run(Trial trial, LongConsumer progress) throws InterruptedException {
		QueueSystem system = trial.system();
		Work todo = this.work.apply(this.slots);
		Stopwatch watch = new Stopwatch();
		system.start(todo);
		Duration took = watch.until(() -> {
			long done = todo.runs().sum();
			progress.accept(done);
			return done >= trial.jobs() && !system.hasUnfinished();
		}, () -> todo.runs().sum() + " of " + trial.jobs() + " jobs ran");
		return new Measurement(trial.jobs(), took);
	}

}
