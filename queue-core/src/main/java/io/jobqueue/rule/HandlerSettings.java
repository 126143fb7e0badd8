package io.jobqueue.rule;

import java.util.function.UnaryOperator;

import io.jobqueue.Backoff;
import io.jobqueue.DeadJobHandler;
import io.jobqueue.JobHandler;
import io.jobqueue.OnDead;

/**
 * What the annotation of a handler says, with its placeholders replaced. An empty text
 * stands for the default. Exceptions that are not retried are left out: a compiler does
 * not load their classes.
 *
 * @param maxAttempts how many attempts a job has; 0 for the default
 * @param backoff how long it waits in between
 * @param timeout how long an attempt may run
 * @param transactional whether it runs in a transaction with the job's completion
 * @param onDead what the death of a job means for others of its key
 * @param limit the limit of its jobs; empty for none
 * @param batchSize how many jobs it gets in one call
 * @param batchWait how long the first one waits for others
 */
public record HandlerSettings(int maxAttempts, Delays backoff, String timeout, boolean transactional, OnDead onDead,
		String limit, int batchSize, String batchWait) {

	/**
	 * What an annotation says.
	 * @param annotation the annotation
	 * @param resolved replaces placeholders
	 */
	public static HandlerSettings of(JobHandler annotation, UnaryOperator<String> resolved) {
		return new HandlerSettings(annotation.maxAttempts(), Delays.of(annotation.backoff(), resolved),
				resolved.apply(annotation.timeout()), annotation.transactional(), annotation.onDead(),
				resolved.apply(annotation.limit()), annotation.batchSize(), resolved.apply(annotation.batchWait()));
	}

	/**
	 * What the annotation of a handler of dead jobs says.
	 * @param annotation the annotation
	 * @param resolved replaces placeholders
	 */
	public static HandlerSettings of(DeadJobHandler annotation, UnaryOperator<String> resolved) {
		return new HandlerSettings(annotation.maxAttempts(), Delays.of(annotation.backoff(), resolved),
				resolved.apply(annotation.timeout()), annotation.transactional(), OnDead.CONTINUE, "", 1, "0");
	}

	/**
	 * Whether the handler runs several jobs in one call.
	 */
	public boolean isBatch() {
		return this.batchSize != 1;
	}

	/**
	 * How long a failed job waits.
	 *
	 * @param first the delay after the first failure
	 * @param multiplier what each further failure multiplies it by; negative for the
	 * default
	 * @param longest the longest delay
	 * @param jitter by which share it varies; negative for the default
	 */
	public record Delays(String first, double multiplier, String longest, double jitter) {

		static Delays of(Backoff annotation, UnaryOperator<String> resolved) {
			return new Delays(resolved.apply(annotation.delay()), annotation.multiplier(),
					resolved.apply(annotation.maxDelay()), annotation.jitter());
		}

	}

}
