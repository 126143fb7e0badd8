package io.jobqueue.retry;

import java.util.List;
import java.util.random.RandomGenerator;

import io.jobqueue.PermanentJobException;
import io.jobqueue.RetryLaterException;

/**
 * Whether and when a failed job of one type runs again.
 *
 * @param maxAttempts how many attempts a job has that does not say itself, the first
 * included
 * @param backoff how long it waits in between
 * @param noRetryFor exceptions after which it is dead at once
 */
public record RetryPolicy(int maxAttempts, BackoffPolicy backoff, List<Class<? extends Throwable>> noRetryFor) {

	public static final RetryPolicy DEFAULT = new RetryPolicy(10, BackoffPolicy.DEFAULT, List.of());

	public RetryPolicy {
		if (maxAttempts < 1) {
			throw new IllegalArgumentException("maxAttempts must be at least 1, but is " + maxAttempts);
		}
		noRetryFor = List.copyOf(noRetryFor);
	}

	/**
	 * How many attempts a job has in the end.
	 * @param ofJob what the job says; 0 for nothing
	 * @return at least 1
	 */
	public int attemptsOf(int ofJob) {
		return (ofJob > 0) ? ofJob : this.maxAttempts;
	}

	/**
	 * Decides about a failed attempt.
	 * @param failure what the handler threw
	 * @param attempt the attempt's number, from 1
	 * @param maxAttempts how many the job has in the end
	 * @param random the source of the jitter
	 * @return what becomes of the job
	 */
	public Decision decide(Throwable failure, int attempt, int maxAttempts, RandomGenerator random) {
		if (attempt >= maxAttempts || isPermanent(failure)) {
			return new Decision.GiveUp();
		}
		if (failure instanceof RetryLaterException later) {
			return new Decision.RetryAfter(later.delay());
		}
		return new Decision.RetryAfter(this.backoff.delayAfter(attempt, random));
	}

	private boolean isPermanent(Throwable failure) {
		return failure instanceof PermanentJobException
				|| this.noRetryFor.stream().anyMatch((type) -> type.isInstance(failure));
	}

}
