package io.jobqueue.worker.run;

import java.time.Duration;
import java.util.Objects;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

import io.jobqueue.UnknownOutcomeException;
import io.jobqueue.retry.Decision;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Failure;
import io.jobqueue.store.Finish;
import io.jobqueue.store.SqlFailure;
import io.jobqueue.worker.attempt.Attempt;
import io.jobqueue.worker.attempt.AttemptResult;
import io.jobqueue.worker.attempt.InterruptReason;
import io.jobqueue.worker.attempt.OutageEnd;
import io.jobqueue.worker.session.WorkerSession;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides how the claim of an attempt ends.
 */
public final class FinishDecision {

	private static final Logger log = LoggerFactory.getLogger(FinishDecision.class);

	private static final Duration LONGEST_DELAY = Duration.ofDays(36500);

	private final WorkerSession session;

	private final LongSupplier nanoTime;

	private final RandomGenerator random;

	private final FailureLog failures;

	public FinishDecision(WorkerSession session, LongSupplier nanoTime, RandomGenerator random, FailureLog failures) {
		this.session = session;
		this.nanoTime = nanoTime;
		this.random = random;
		this.failures = failures;
	}

	/**
	 * Of an attempt whose handler has returned.
	 * @param attempt the attempt
	 * @param interrupted why it was interrupted, or null if it was not
	 */
	AttemptResult returned(Attempt attempt, @Nullable InterruptReason interrupted) {
		return (interrupted == null || interrupted == InterruptReason.SESSION_LOST)
				? result(attempt, new Finish.Ack(attempt.claim()), false) : failed(attempt, null, interrupted);
	}

	/**
	 * Of an attempt whose handler has failed.
	 * @param attempt the attempt
	 * @param thrown what it threw; null if it returned in spite of an interrupt
	 * @param interrupted why it was interrupted, or null if it was not
	 */
	AttemptResult failed(Attempt attempt, @Nullable Throwable thrown, @Nullable InterruptReason interrupted) {
		try {
			return failedReadably(attempt, thrown, interrupted);
		}
		catch (Throwable ex) {
			// Exceptions have methods of their own, which may throw. Such a failure
			// counts too, or its job would run for ever.
			return failedReadably(attempt, (thrown != null) ? new UnreadableException(thrown) : ex, interrupted);
		}
	}

	private AttemptResult failedReadably(Attempt attempt, @Nullable Throwable thrown,
			@Nullable InterruptReason interrupted) {
		return result(attempt, finish(attempt, thrown, interrupted),
				interrupted == InterruptReason.CANCELLED || isOutage(thrown));
	}

	/**
	 * Of an attempt whose thread does not react to its interrupt.
	 * @param attempt the attempt
	 */
	AttemptResult abandoned(Attempt attempt) {
		if (attempt.chunk().isLedBy(attempt)) {
			log.warn("{} job {}{} does not react to its interrupt; it is given up, and its slot stays busy",
					attempt.job().type(), attempt.claim().id(), FailureTexts.others(attempt));
		}
		InterruptReason reason = attempt.reason();
		if (reason == InterruptReason.TIMEOUT || reason == InterruptReason.SHUTDOWN) {
			return result(attempt, retryOrDeadLetter(attempt, new InterruptedAttempt(reason, attempt, null)), false);
		}
		if (reason == InterruptReason.SESSION_LOST) {
			// Perhaps its query keeps the database from answering.
			Failure failure = Failure.of(attempt.job().attempt(), "outage",
					"The database did not answer for the session timeout, and the handler did not end");
			return result(attempt, OutageEnd.withoutBlame(attempt.job(), failure), true);
		}
		return result(attempt, new Finish.Release(attempt.claim(), Duration.ZERO), true);
	}

	private AttemptResult result(Attempt attempt, Finish finish, boolean mayBeDone) {
		return new AttemptResult(attempt, finish, mayBeDone, attempt.ran(this.nanoTime.getAsLong()));
	}

	private Finish finish(Attempt attempt, @Nullable Throwable thrown, @Nullable InterruptReason interrupted) {
		if (interrupted == InterruptReason.SESSION_LOST && thrown != null) {
			// Perhaps its query kept the database from answering. Perhaps this node stood
			// still, so only what looks like the loss of a database can convict.
			Failure failure = FailureTexts.stored(attempt.job().attempt(), thrown);
			return isOutage(thrown) ? OutageEnd.after(attempt.job(), failure)
					: OutageEnd.withoutBlame(attempt.job(), failure);
		}
		if (interrupted == InterruptReason.CANCELLED || interrupted == InterruptReason.SESSION_LOST) {
			return new Finish.Release(attempt.claim(), Duration.ZERO);
		}
		if (interrupted == null && isOutage(thrown)) {
			attempt.marks().failedByOutage();
			if (this.session.lostSince(attempt.startedNanos())) {
				log.info("{} job {} failed because the database was lost; the attempt is not counted",
						attempt.job().type(), attempt.claim().id());
				return OutageEnd.after(attempt.job(),
						FailureTexts.stored(attempt.job().attempt(), Objects.requireNonNull(thrown)));
			}
		}
		Throwable failure = (interrupted != null) ? new InterruptedAttempt(interrupted, attempt, thrown) : thrown;
		return retryOrDeadLetter(attempt,
				(failure != null) ? failure : new IllegalStateException("No reason is known"));
	}

	private Finish retryOrDeadLetter(Attempt attempt, Throwable failure) {
		ClaimedJob job = attempt.job();
		Failure stored = FailureTexts.stored(job.attempt(), failure);
		Decision decision = attempt.handler()
			.retry()
			.decide(failure, job.attempt(), attempt.maxAttempts(), this.random);
		if (decision instanceof Decision.RetryAfter retry) {
			Duration delay = clamped(retry.delay());
			this.failures.retried(attempt, failure, delay);
			return new Finish.Retry(attempt.claim(), delay, stored);
		}
		this.failures.dies(attempt, failure, stored);
		return new Finish.DeadLetter(attempt.claim(), stored);
	}

	/**
	 * No database counts further than the year 9999, and no job waits that long.
	 */
	private static Duration clamped(Duration delay) {
		return (delay.compareTo(LONGEST_DELAY) < 0) ? delay : LONGEST_DELAY;
	}

	/**
	 * Whether a call has failed because the queue's own database was lost, as far as is
	 * known, or may have committed.
	 */
	boolean isOfDatabase(Throwable thrown, Attempt attempt) {
		return thrown instanceof UnknownOutcomeException
				|| (isOutage(thrown) && this.session.lostSince(attempt.startedNanos()));
	}

	static boolean isOutage(@Nullable Throwable thrown) {
		return thrown instanceof UnknownOutcomeException || (thrown != null && SqlFailure.isOutage(thrown));
	}

	/**
	 * Stands for an exception that cannot be looked at.
	 */
	private static final class UnreadableException extends RuntimeException {

		UnreadableException(Throwable thrown) {
			super("The handler threw a " + thrown.getClass().getName() + ", which cannot be read");
		}

	}

}
