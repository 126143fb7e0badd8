package io.jobqueue.worker.run;

import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;

import io.jobqueue.store.Texts;
import io.jobqueue.worker.attempt.Attempt;
import io.jobqueue.worker.attempt.HeldAttempts;
import io.jobqueue.worker.attempt.InterruptReason;
import io.jobqueue.worker.session.WorkerSession;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks after the attempts of a worker several times a second: interrupts those that run
 * too long, gives up those that do not react, gives back jobs that wait behind slow ones
 * or too long for a slot, and lets go of everything when the session is lost.
 */
public final class Watchdog implements Runnable {

	private static final Logger log = LoggerFactory.getLogger(Watchdog.class);

	private static final Duration REACTION = Duration.ofSeconds(10);

	private static final Duration FINISH = Duration.ofSeconds(30);

	private final HeldAttempts held;

	private final Slots slots;

	private final WorkerSession session;

	private final FinishDecision decision;

	private final Duration longestWait;

	private final LongSupplier nanoTime;

	private boolean lost;

	/**
	 * Creates the watchdog.
	 * @param held the attempts
	 * @param slots where they run
	 * @param session the worker's session
	 * @param decision how the claims of attempts end that are given up
	 * @param longestWait how long a job may wait for a slot, whatever the slots do
	 * @param nanoTime the monotonic clock
	 */
	public Watchdog(HeldAttempts held, Slots slots, WorkerSession session, FinishDecision decision,
			Duration longestWait, LongSupplier nanoTime) {
		this.held = held;
		this.slots = slots;
		this.session = session;
		this.decision = decision;
		this.longestWait = longestWait;
		this.nanoTime = nanoTime;
	}

	@Override
	public void run() {
		List<Attempt> attempts = this.held.all();
		if (this.session.isCurrent()) {
			this.lost = false;
			boolean standing = this.slots.areStanding();
			attempts.forEach((attempt) -> look(attempt, standing));
		}
		else if (!attempts.isEmpty()) {
			if (!this.lost) {
				this.lost = true;
				log.warn(
						"No heartbeat for the session timeout, so other workers may run the {} job(s) that this one holds. "
								+ "It interrupts what runs, and lets go of the rest: {}",
						attempts.size(),
						Texts.firstOf(attempts.stream()
							.map((attempt) -> attempt.job().type() + " job " + attempt.claim().id())
							.toList()));
			}
			this.held.letGoAll();
		}
	}

	private void look(Attempt attempt, boolean standing) {
		long now = this.nanoTime.getAsLong();
		if (attempt.isTimedOut(now) && attempt.interrupt(InterruptReason.TIMEOUT, now)) {
			if (attempt.chunk().isLedBy(attempt)) {
				log.warn("{} job {} (attempt {}){} has run longer than its timeout and is interrupted",
						attempt.job().type(), attempt.claim().id(), attempt.job().attempt(),
						FailureTexts.others(attempt));
			}
		}
		else if (attempt.isInterrupted() && attempt.sinceInterrupt(now).compareTo(REACTION) > 0) {
			giveUp(attempt);
		}
		else if (attempt.noteFinishing(now, FINISH) && attempt.chunk().isLedBy(attempt)) {
			log.warn(
					"The handler of {} job {} (attempt {}) has returned, but its transaction has not ended for {}: a callback "
							+ "of the transaction, or the database, does not answer. Its slot stays busy",
					attempt.job().type(), attempt.claim().id(), attempt.job().attempt(), FINISH);
		}
		else if (standing || attempt.waited(now).compareTo(this.longestWait) > 0) {
			this.held.giveBack(attempt);
		}
	}

	/**
	 * Takes the result from an attempt whose thread does not react to its interrupt.
	 */
	public void giveUp(Attempt attempt) {
		this.held.giveUp(attempt, this.decision::abandoned);
	}

}
