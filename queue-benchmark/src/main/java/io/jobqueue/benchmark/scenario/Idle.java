package io.jobqueue.benchmark.scenario;

import java.time.Duration;

import io.jobqueue.benchmark.Measurement;
import io.jobqueue.benchmark.Trial;
import io.jobqueue.benchmark.system.Work;

/**
 * A worker with fifty slots and nothing to do. Read the statements: one "job" stands for
 * one second.
 *
 * @param jobs how many seconds
 */
record Idle(int jobs) implements Scenario {

	private static final int SLOTS = 50;

	/** Until the pool has its connections and the polls have become rare. */
	private static final long SETTLE_MILLIS = 15_000;

	@Override
	public void prepare(Trial trial) throws InterruptedException {
		trial.system().start(Work.nothing(SLOTS));
		Thread.sleep(SETTLE_MILLIS);
	}

	@Override
	public Measurement run(Trial trial) throws InterruptedException {
		Thread.sleep(trial.jobs() * 1_000L);
		return new Measurement(trial.jobs(), Duration.ofSeconds(trial.jobs()));
	}

}
