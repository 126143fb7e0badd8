package io.jobqueue.worker.attempt;

import java.time.Duration;

import io.jobqueue.store.Finish;
import io.jobqueue.worker.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * The end of an attempt that is committed.
 *
 * @param attempt the attempt
 * @param outcome how it ended; null if nobody is to be told, because it never started, or
 * because what became of it is told elsewhere
 * @param ran how long its handler ran
 * @param finish how its claim ended; null if that is not known
 * @param keySeenTo whether the next job of its order key has been seen to
 */
public record AttemptEnd(Attempt attempt, @Nullable Outcome outcome, Duration ran, @Nullable Finish finish,
		boolean keySeenTo) {

	/**
	 * An end of which nothing more is known.
	 */
	public AttemptEnd(Attempt attempt, @Nullable Outcome outcome, Duration ran) {
		this(attempt, outcome, ran, null, false);
	}

	/**
	 * For how long it has kept a slot, if each of those that ran in the same call has
	 * kept it for its part of the time.
	 */
	Duration ranAlone() {
		return this.ran.dividedBy(this.attempt.chunk().attempts().size());
	}

	/**
	 * Whether it counts for how quick jobs are. What was given back does not.
	 */
	boolean hasRun() {
		return this.outcome != null && this.outcome != Outcome.RELEASED;
	}

}
