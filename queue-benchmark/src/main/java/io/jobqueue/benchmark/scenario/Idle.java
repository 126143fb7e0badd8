package io.jobqueue.benchmark.scenario;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

import io.jobqueue.benchmark.Measurement;
import io.jobqueue.benchmark.Trial;
import io.jobqueue.benchmark.system.Backlog;
import io.jobqueue.benchmark.system.Work;

/**
 * A worker with fifty slots and nothing to do. Read the statements: one "job" stands for
 * one second.
 *
 * @param jobs how many seconds
 * @param backlog jobs that it has no handlers for
 * @param schedules how many recurring jobs there are, none of which is due
 */
record Idle(int jobs, Backlog backlog, int schedules) implements Scenario {

	private static final int SLOTS = 50;

	private static final long MINUTE_MILLIS = 60_000;

	/** Until the pool has its connections and the polls have become rare. */
	private static final long SETTLE_MILLIS = 15_000;

	@Override
	public void prepare(Trial trial) throws InterruptedException {
		if (this.backlog != Backlog.NOTHING) {
			trial.system().fill(this.backlog);
			trial.server().settle();
		}
		if (this.schedules > 0) {
			// They are due at the full minute.
			trial.system().schedule(this.schedules);
			Thread.sleep((MINUTE_MILLIS - System.currentTimeMillis() % MINUTE_MILLIS));
		}
		trial.system().start(Work.nothing(SLOTS));
		if (this.backlog != Backlog.NOTHING) {
			awaitSortedOut(trial);
		}
		Thread.sleep(SETTLE_MILLIS);
	}

	private static void awaitSortedOut(Trial trial) throws InterruptedException {
		Stopwatch watch = new Stopwatch();
		watch.until(() -> {
			LockSupport.parkNanos(1_000_000_000);
			return !trial.server()
				.sql()
				.queryForObject("SELECT EXISTS (SELECT 1 FROM jobqueue_job WHERE state = 0 AND type_id = 0)",
						Boolean.class);
		}, () -> "some jobs of other types sorted out");
	}

	@Override
	public Measurement run(Trial trial) throws InterruptedException {
		Thread.sleep(trial.jobs() * 1_000L);
		return new Measurement(trial.jobs(), Duration.ofSeconds(trial.jobs()));
	}

}
