package io.jobqueue.maintenance;

import java.time.Duration;

import io.jobqueue.store.ScheduleStore;

/**
 * Deletes what is known of ticks that are over for a day. Until then no tick has a second
 * job, even if the database's clock goes back.
 */
public final class ForgetTicks implements Chore {

	private static final Duration TICKS = Duration.ofDays(1);

	private static final Duration DECLARATIONS = Duration.ofDays(30);

	private static final int BATCH = 1_000;

	private final ScheduleStore store;

	private final Duration interval;

	/**
	 * Creates the chore.
	 * @param store the schedules
	 * @param interval how often to look
	 */
	public ForgetTicks(ScheduleStore store, Duration interval) {
		this.store = store;
		this.interval = interval;
	}

	@Override
	public String name() {
		return "forget ticks";
	}

	@Override
	public Duration interval() {
		return this.interval;
	}

	@Override
	public int runOnce() {
		int total = 0;
		int forgotten;
		do {
			forgotten = this.store.forgetTicks(TICKS, BATCH);
			total += forgotten;
		}
		while (forgotten >= BATCH && !Thread.currentThread().isInterrupted());
		return total + this.store.forgetDeclarations(DECLARATIONS);
	}

}
