package io.jobqueue.worker;

import java.time.Duration;
import java.util.List;

import io.jobqueue.store.Failure;
import io.jobqueue.store.Finish;
import io.jobqueue.worker.Attempt.Reason;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks after the attempts of a node several times a second: interrupts those that run
 * too long, gives up those that do not react, gives back jobs that wait too long for a
 * slot, and lets go of everything when the session is lost.
 */
final class Watch implements Runnable {

	private static final Logger log = LoggerFactory.getLogger(Watch.class);

	private static final Duration REACTION = Duration.ofSeconds(10);

	private final Node node;

	private final Finisher finisher;

	private final Execution execution;

	private final Reconciliation reconciliation;

	private final Duration longestWait;

	private boolean lost;

	Watch(Node node, Finisher finisher, Execution execution, Reconciliation reconciliation, Duration longestWait) {
		this.node = node;
		this.finisher = finisher;
		this.execution = execution;
		this.reconciliation = reconciliation;
		this.longestWait = longestWait;
	}

	@Override
	public void run() {
		long now = this.node.nanoTime().getAsLong();
		List<Attempt> attempts = this.node.held().all();
		if (this.node.session().isCurrent()) {
			this.lost = false;
		}
		else if (!attempts.isEmpty()) {
			letGo(attempts, now);
			return;
		}
		for (Attempt attempt : attempts) {
			if (attempt.isTimedOut(now) && attempt.interrupt(Reason.TIMEOUT, now)) {
				log.warn("{} job {} (attempt {}) has run longer than its timeout and is interrupted",
						attempt.job().type(), attempt.claim().id(), attempt.job().attempt());
			}
			else if (attempt.isInterrupted() && attempt.sinceInterrupt(now).compareTo(REACTION) > 0) {
				giveUp(attempt, now);
			}
			else if (attempt.waited(now).compareTo(this.longestWait) > 0 && attempt.drop()) {
				this.finisher.add(Report.release(attempt));
			}
		}
	}

	/**
	 * The session is no longer known to be alive, so others may run what this node holds.
	 */
	void letGo(List<Attempt> attempts, long now) {
		if (!this.lost) {
			this.lost = true;
			log.warn("No heartbeat for the session timeout: {} job(s) are let go", attempts.size());
		}
		for (Attempt attempt : attempts) {
			if (attempt.drop()) {
				this.node.held().remove(attempt);
			}
			else {
				attempt.interrupt(Reason.SESSION_LOST, now);
			}
		}
		this.reconciliation.request();
	}

	/**
	 * Reports an attempt whose thread does not react to its interrupt. The slot stays
	 * busy until it does.
	 */
	void giveUp(Attempt attempt, long now) {
		if (!attempt.abandon()) {
			return;
		}
		this.node.stuck().incrementAndGet();
		Reason reason = attempt.reason();
		log.warn("{} job {} does not react to its interrupt; it is given up, and its slot stays busy",
				attempt.job().type(), attempt.claim().id());
		boolean failed = reason == Reason.TIMEOUT || reason == Reason.SHUTDOWN;
		this.finisher.add(new Report(attempt, endOf(attempt, reason), !failed, attempt.ran(now)));
	}

	private Finish endOf(Attempt attempt, @Nullable Reason reason) {
		if (reason == Reason.TIMEOUT || reason == Reason.SHUTDOWN) {
			return this.execution.decided(attempt, new InterruptedAttempt(reason, attempt, null));
		}
		if (reason == Reason.SESSION_LOST) {
			// Perhaps its query keeps the database from answering.
			return OutageEnd.withoutBlame(attempt.job(), Failure.of(attempt.job().attempt(), "outage",
					"The database did not answer for the session timeout, and the handler did not end"));
		}
		return new Finish.Release(attempt.claim(), Duration.ZERO);
	}

}
