package io.jobqueue.benchmark.scenario;

import java.time.Duration;

import io.jobqueue.benchmark.Measurement;
import io.jobqueue.benchmark.Trial;
import io.jobqueue.benchmark.system.Backlog;
import io.jobqueue.benchmark.system.Work;

/**
 * The first jobs that run where the tables hold more than those. Over when so many have
 * run: nobody can wait for the end of jobs that are due in a year.
 *
 * @param jobs how many
 * @param backlog what else is in the tables
 */
record LargeTables(int jobs, Backlog backlog) implements Scenario {

	private static final int SLOTS = 8;

	@Override
	public void prepare(Trial trial) throws InterruptedException {
		trial.system().fill(this.backlog);
		// In a real table such rows were written long ago.
		trial.server().settle();
		trial.system().enqueueAll(trial.jobs());
	}

	@Override
	public Measurement run(Trial trial) throws InterruptedException {
		Work todo = Work.nothing(SLOTS);
		Stopwatch watch = new Stopwatch();
		trial.system().start(todo);
		Duration took = watch.until(() -> todo.runs().sum() >= trial.jobs(),
				() -> todo.runs().sum() + " of " + trial.jobs() + " jobs ran");
		return new Measurement(trial.jobs(), took);
	}

}
