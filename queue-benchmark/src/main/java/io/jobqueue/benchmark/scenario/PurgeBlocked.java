package io.jobqueue.benchmark.scenario;

import io.jobqueue.benchmark.Measurement;
import io.jobqueue.benchmark.Trial;

/**
 * A drain while somebody's old snapshot keeps the server from purging the rows that are
 * deleted, so that each claim has more of them to pass.
 *
 * @param drain the drain
 * @param blocked whether there is such a snapshot
 */
record PurgeBlocked(Drain drain, boolean blocked) implements Scenario {

	@Override
	public int jobs() {
		return this.drain.jobs();
	}

	@Override
	public void prepare(Trial trial) throws InterruptedException {
		// The run before has left more to purge than any other scenario does.
		trial.server().settle();
		this.drain.prepare(trial);
	}

	@Override
	public Measurement run(Trial trial) throws Exception {
		if (!this.blocked) {
			return measure(trial);
		}
		OldSnapshot snapshot = new OldSnapshot(trial.server());
		try {
			trial.costsFromNow();
			return measure(trial);
		}
		finally {
			snapshot.close();
		}
	}

	private Measurement measure(Trial trial) throws InterruptedException {
		Tenths tenths = new Tenths(trial.jobs());
		Measurement measurement = this.drain.run(trial, tenths);
		return measurement.with("tenths", tenths).with("history_length", trial.server().historyLength());
	}

}
