package io.jobqueue.node;

import java.time.Duration;
import java.util.function.Predicate;

import io.jobqueue.worker.WorkerHealth;
import io.jobqueue.worker.WorkerSettings;
import io.jobqueue.worker.attempt.HeldAttempts;
import io.jobqueue.worker.finish.Finisher;
import io.jobqueue.worker.poll.PollLoop;
import io.jobqueue.worker.poll.ServedRanges;
import io.jobqueue.worker.session.WorkerSession;

/**
 * Finds out whether a worker does what it is there for.
 */
final class HealthCheck {

	private static final Duration POLL_OVERDUE = Duration.ofSeconds(30);

	/** A database that restarts is not worth an alarm of its own. */
	private static final Duration RESULTS_OVERDUE = Duration.ofSeconds(10);

	private final WorkerSession session;

	private final HeldAttempts held;

	private final PollLoop pollLoop;

	private final Finisher finisher;

	private final ServedRanges served;

	private final int slots;

	private final Duration pollOverdue;

	HealthCheck(WorkerParts parts, WorkerSettings settings) {
		this.session = parts.session;
		this.held = parts.held;
		this.pollLoop = parts.pollLoop;
		this.finisher = parts.finisher;
		this.served = parts.served;
		this.slots = settings.slots().concurrency();
		Duration threeTimes = settings.timing().heartbeatInterval().multipliedBy(3);
		this.pollOverdue = (threeTimes.compareTo(POLL_OVERDUE) > 0) ? threeTimes : POLL_OVERDUE;
	}

	/**
	 * Looks at the worker.
	 * @param running whether it was started and not stopped
	 * @param isAlive whether the thread of a name is alive
	 */
	WorkerHealth now(boolean running, Predicate<String> isAlive) {
		String problem = running ? problem(isAlive) : "stopped";
		return new WorkerHealth(running, problem.isEmpty(), problem, this.session.id(), this.session.sinceLastGood(),
				this.pollLoop.sinceLastRound(), this.slots, this.held.active(), this.held.size(),
				this.served.leftOut());
	}

	private String problem(Predicate<String> isAlive) {
		if (!isAlive.test(WorkerThreads.POLL_LOOP) || this.pollLoop.sinceLastRound().compareTo(this.pollOverdue) > 0) {
			return "the poll loop is not alive";
		}
		if (!isAlive.test(WorkerThreads.KEY_LOOP)) {
			return "the loop of keys is not alive";
		}
		if (!isAlive.test(WorkerThreads.FINISHER)) {
			return "the finisher is not alive";
		}
		if (!this.session.isCurrent()) {
			return "no heartbeat for " + this.session.sinceLastGood().toSeconds() + " s";
		}
		if (this.pollLoop.isFailing()) {
			return "polling fails";
		}
		int refused = this.finisher.refusedAgain();
		if (refused > 0) {
			return "the results of " + refused + " job(s) cannot be committed";
		}
		Duration failing = this.finisher.failingFor();
		if (failing.compareTo(RESULTS_OVERDUE) > 0) {
			return "no result could be committed for " + failing.toSeconds()
					+ " s: the database, or a listener of jobs, does not answer";
		}
		return (this.held.stuck() + this.held.atSlots().overdue() >= this.slots)
				? "every slot is lost to a handler that does not react to its interrupt, or whose transaction does not end"
				: "";
	}

}
