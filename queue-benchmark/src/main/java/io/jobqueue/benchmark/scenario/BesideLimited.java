package io.jobqueue.benchmark.scenario;

import io.jobqueue.benchmark.Measurement;
import io.jobqueue.benchmark.Trial;
import io.jobqueue.benchmark.system.Backlog;
import io.jobqueue.benchmark.system.Limited;
import io.jobqueue.benchmark.system.Work;

/**
 * How quickly plain jobs are done while a million limited ones wait. The limited ones
 * take no processor time, and there are slots for both.
 *
 * @param jobs how many plain jobs
 * @param limited how the others are limited
 * @param backlog the others
 */
record BesideLimited(int jobs, Limited limited, Backlog backlog) implements Scenario {

	private static final int SLOTS = 20;

	@Override
	public void prepare(Trial trial) throws InterruptedException {
		trial.system().limit(this.limited);
		trial.system().fill(this.backlog);
		trial.system().enqueueAll(trial.jobs());
		trial.server().settle();
	}

	@Override
	public Measurement run(Trial trial) throws InterruptedException {
		Work work = Work.nothing(SLOTS);
		Stopwatch watch = new Stopwatch();
		trial.system().start(work);
		var took = watch.until(() -> work.runs().sum() >= trial.jobs(), () -> work.runs().sum() + " jobs ran");
		return new Measurement(trial.jobs(), took).with("limited_ran", work.limitedRuns().sum());
	}

}
