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
 */
public record AttemptEnd(Attempt attempt, @Nullable Outcome outcome, Duration ran, @Nullable Finish finish) {

	/**
	 * An end of which nothing more is known.
	 */
	public AttemptEnd(Attempt attempt, @Nullable Outcome outcome, Duration ran) {
		this(attempt, outcome, ran, null);
	}

	/**
	 * Whether it counts for how quick jobs are. What was given back does not.
	 */
	boolean hasRun() {
		return this.outcome != null && this.outcome != Outcome.RELEASED;
	}

}
