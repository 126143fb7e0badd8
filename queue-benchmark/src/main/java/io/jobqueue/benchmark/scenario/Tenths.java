package io.jobqueue.benchmark.scenario;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;

/**
 * How fast each tenth of a run was, from its creation on.
 */
final class Tenths implements LongConsumer {

	private static final int PARTS = 10;

	private final int jobs;

	private final List<Long> perSecond = new ArrayList<>();

	private long since = System.nanoTime();

	private long doneBefore;

	Tenths(int jobs) {
		this.jobs = jobs;
	}

	/**
	 * Takes note of how far the run is.
	 * @param done how many jobs have run
	 */
	@Override
	public void accept(long done) {
		int tenth = this.perSecond.size() + 1;
		if (tenth <= PARTS && done >= (long) this.jobs * tenth / PARTS) {
			long now = System.nanoTime();
			this.perSecond.add(Math.round((done - this.doneBefore) * 1e9 / (now - this.since)));
			this.since = now;
			this.doneBefore = done;
		}
	}

	@Override
	public String toString() {
		return this.perSecond.stream().map(String::valueOf).collect(Collectors.joining(","));
	}

}
