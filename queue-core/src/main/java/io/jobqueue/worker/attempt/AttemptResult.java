package io.jobqueue.worker.attempt;

import java.time.Duration;

import io.jobqueue.store.Failure;
import io.jobqueue.store.Finish;
import io.jobqueue.worker.Outcome;

import org.jspecify.annotations.Nullable;

/**
 * The result of an attempt.
 *
 * @param attempt the attempt
 * @param finish how its claim ends
 * @param mayBeDone whether the claim may have ended already, by a commit whose outcome is
 * unknown or by a cancel
 * @param ran how long the handler ran
 */
public record AttemptResult(Attempt attempt, Finish finish, boolean mayBeDone, Duration ran) {

	private static final Duration AFTER_DISTURBANCE = Duration.ofSeconds(1);

	private static final Duration AFTER_DISORDER = Duration.ofSeconds(10);

	/**
	 * A job that has waited here and was not started.
	 */
	public static AttemptResult release(Attempt attempt) {
		return new AttemptResult(attempt, new Finish.Release(attempt.claim(), Duration.ZERO), false, Duration.ZERO);
	}

	/**
	 * An attempt of which no result could be made.
	 */
	public static AttemptResult disorderly(Attempt attempt) {
		return new AttemptResult(attempt, new Finish.Release(attempt.claim(), AFTER_DISORDER), true, Duration.ZERO);
	}

	public Outcome outcome() {
		if (this.finish instanceof Finish.Ack) {
			return Outcome.SUCCEEDED;
		}
		if (this.finish instanceof Finish.Retry) {
			return Outcome.RETRIED;
		}
		if (this.finish instanceof Finish.DeadLetter) {
			return Outcome.DEAD;
		}
		return Outcome.RELEASED;
	}

	/**
	 * An attempt that failed because the database was lost is not counted.
	 */
	public AttemptResult afterOutage() {
		Failure failure = failureByOutage();
		return (failure != null) ? with(OutageEnd.after(this.attempt.job(), failure)) : this;
	}

	/**
	 * The failure of an attempt that the loss of some database made fail, as far as it
	 * has not been judged.
	 */
	private @Nullable Failure failureByOutage() {
		if (!this.attempt.marks().isFailedByOutage()) {
			return null;
		}
		if (this.finish instanceof Finish.Retry retry) {
			return retry.failure();
		}
		return (this.finish instanceof Finish.DeadLetter dead && !OutageEnd.isConviction(dead)) ? dead.failure() : null;
	}

	/**
	 * An attempt that failed when connections could not be had, though the database was
	 * there, is not counted either.
	 */
	public AttemptResult afterDisturbance() {
		return (failureByOutage() != null) ? with(new Finish.Release(this.attempt.claim(), AFTER_DISTURBANCE)) : this;
	}

	/**
	 * A commit of this may still take place, or has.
	 */
	public AttemptResult maybeDone() {
		return new AttemptResult(this.attempt, this.finish, true, this.ran);
	}

	/**
	 * An error text that the database refuses must not keep the job.
	 */
	public AttemptResult withoutDetails() {
		if (this.finish instanceof Finish.Retry retry) {
			return with(new Finish.Retry(retry.claim(), retry.delay(), plain(retry.failure())));
		}
		if (this.finish instanceof Finish.DeadLetter dead) {
			return with(new Finish.DeadLetter(dead.claim(), plain(dead.failure())));
		}
		if (this.finish instanceof Finish.Outage outage) {
			return with(new Finish.Outage(outage.claim(), outage.delay(), plain(outage.failure())));
		}
		return this;
	}

	private AttemptResult with(Finish other) {
		return new AttemptResult(this.attempt, other, this.mayBeDone, this.ran);
	}

	private static Failure plain(Failure failure) {
		return Failure.of(failure.attempt(), failure.type().replaceAll("[^\\x20-\\x7e]", "?"),
				"The database refused the text of this error");
	}

}
