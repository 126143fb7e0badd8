package io.jobqueue.benchmark.scenario;

import io.jobqueue.benchmark.Measurement;
import io.jobqueue.benchmark.Trial;

/**
 * A drain of jobs with payloads of their own size.
 *
 * @param drain the drain
 * @param bytes how large each payload is
 */
record LargePayloads(Drain drain, int bytes) implements Scenario {

	@Override
	public int jobs() {
		return this.drain.jobs();
	}

	@Override
	public void prepare(Trial trial) {
		String json = "\"" + "x".repeat(this.bytes - 2) + "\"";
		trial.system().enqueueAll(trial.jobs(), json);
	}

	@Override
	public Measurement run(Trial trial) throws InterruptedException {
		return this.drain.run(trial);
	}

}
