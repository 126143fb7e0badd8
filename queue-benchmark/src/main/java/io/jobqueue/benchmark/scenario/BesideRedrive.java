package io.jobqueue.benchmark.scenario;

import io.jobqueue.benchmark.Measurement;
import io.jobqueue.benchmark.Trial;
import io.jobqueue.benchmark.system.Backlog;
import io.jobqueue.benchmark.system.Work;

/**
 * How quickly jobs are done while a million dead ones are redriven in the background, and
 * how long that takes.
 *
 * @param jobs how many jobs
 * @param dead what becomes of the dead ones
 */
record BesideRedrive(int jobs, Dead dead) implements Scenario {

	private static final int SLOTS = 8;

	private static final int DEAD = 1_000_000;

	/**
	 * What becomes of dead jobs.
	 */
	enum Dead {

		/** They stay. */
		STAY,

		/** They are ready for somebody else: the worker has no handler for them. */
		BECOME_READY,

		/** Their queue is paused. */
		BECOME_PAUSED

	}

	@Override
	public void prepare(Trial trial) throws InterruptedException {
		trial.system().fill(Backlog.DEAD);
		trial.system().enqueueAll(trial.jobs());
		trial.server().settle();
	}

	@Override
	public Measurement run(Trial trial) throws InterruptedException {
		Work work = Work.nothing(SLOTS);
		Stopwatch watch = new Stopwatch();
		if (this.dead != Dead.STAY) {
			trial.system().redriveAll(this.dead == Dead.BECOME_PAUSED);
		}
		trial.system().start(work);
		var took = watch.until(() -> work.runs().sum() >= trial.jobs(), () -> work.runs().sum() + " jobs ran");
		Measurement measured = new Measurement(trial.jobs(), took);
		if (this.dead == Dead.STAY) {
			return measured;
		}
		long meanwhile = trial.system().redriven();
		var all = watch.until(() -> trial.system().redriven() >= DEAD, () -> trial.system().redriven() + " redriven");
		return measured.with("redriven_meanwhile", meanwhile).with("redrive_seconds", all.toSeconds());
	}

}
