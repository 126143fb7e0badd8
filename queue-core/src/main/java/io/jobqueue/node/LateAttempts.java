package io.jobqueue.node;

import java.time.Duration;
import java.util.function.LongSupplier;

import io.jobqueue.text.Durations;
import io.jobqueue.worker.attempt.Attempt;
import io.jobqueue.worker.attempt.HeldAttempts;
import io.jobqueue.worker.attempt.InterruptReason;
import io.jobqueue.worker.run.Watchdog;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Attempts that have not ended when their worker has to stop.
 */
final class LateAttempts {

	private static final Logger log = LoggerFactory.getLogger(LateAttempts.class);

	private final HeldAttempts held;

	private final Watchdog watchdog;

	private final Duration grace;

	private final LongSupplier clock;

	/**
	 * Looks after them.
	 * @param held what the worker holds
	 * @param watchdog gives up attempts that do not heed their interrupts
	 * @param grace how long they have had to end
	 * @param clock the monotonic clock
	 */
	LateAttempts(HeldAttempts held, Watchdog watchdog, Duration grace, LongSupplier clock) {
		this.held = held;
		this.watchdog = watchdog;
		this.grace = grace;
		this.clock = clock;
	}

	void interrupt() {
		for (Attempt attempt : this.held.all()) {
			if (!this.held.releaseParked(attempt)
					&& attempt.interrupt(InterruptReason.SHUTDOWN, this.clock.getAsLong())) {
				log.warn("{} job {} did not end within the grace period of {} and is interrupted", attempt.job().type(),
						attempt.claim().id(), Durations.text(this.grace));
			}
		}
	}

	void giveUp() {
		for (Attempt attempt : this.held.all()) {
			if (attempt.isInterrupted()) {
				this.watchdog.giveUp(attempt);
			}
		}
	}

}
