package io.jobqueue.spring.handler;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;

import io.jobqueue.Backoff;
import io.jobqueue.JobHandler;
import io.jobqueue.retry.BackoffPolicy;
import io.jobqueue.retry.RetryPolicy;
import io.jobqueue.worker.Handler;

import org.springframework.boot.convert.DurationStyle;
import org.springframework.util.StringUtils;

/**
 * The defaults for what a {@code @JobHandler} leaves unset. Builds the handler of both.
 *
 * @param maxAttempts how many attempts a job has
 * @param backoff how long it waits in between
 * @param timeout how long an attempt may run
 * @param limits the names of the limits that there are
 */
public record HandlerDefaults(int maxAttempts, BackoffPolicy backoff, Duration timeout, Set<String> limits) {

	/**
	 * Builds a handler.
	 * @param type the type of the jobs that it runs
	 * @param annotation what it says itself
	 * @param resolved replaces placeholders
	 * @param invocation the code
	 * @throws IllegalArgumentException if a value is not valid
	 */
	Handler handler(String type, JobHandler annotation, UnaryOperator<String> resolved, Handler.Invocation invocation) {
		if (annotation.maxAttempts() < 0) {
			throw new IllegalArgumentException("maxAttempts must not be negative, but is " + annotation.maxAttempts());
		}
		String limit = resolved.apply(annotation.limit());
		if (!limit.isEmpty() && !this.limits.contains(limit)) {
			throw new IllegalArgumentException("its limit '" + limit + "' is not there: set jobqueue.limits." + limit
					+ ".running or .starts; there are " + new TreeSet<>(this.limits));
		}
		int attempts = (annotation.maxAttempts() > 0) ? annotation.maxAttempts() : this.maxAttempts;
		RetryPolicy retry = new RetryPolicy(attempts, backoff(annotation.backoff(), resolved),
				List.of(annotation.noRetryFor()));
		return new Handler(type, invocation, retry,
				duration("timeout", resolved.apply(annotation.timeout()), this.timeout), annotation.transactional(),
				annotation.onDead(), limit, new Handler.Chunks(annotation.batchSize(),
						duration("batchWait", resolved.apply(annotation.batchWait()), Duration.ZERO)));
	}

	private BackoffPolicy backoff(Backoff annotation, UnaryOperator<String> resolved) {
		String ownDelay = resolved.apply(annotation.delay());
		String ownMaxDelay = resolved.apply(annotation.maxDelay());
		Duration delay = duration("backoff delay", ownDelay, this.backoff.delay());
		Duration maxDelay = duration("backoff maxDelay", ownMaxDelay, this.backoff.maxDelay());
		if (StringUtils.hasText(ownDelay) && delay.compareTo(maxDelay) > 0) {
			if (StringUtils.hasText(ownMaxDelay)) {
				throw new IllegalArgumentException(
						"backoff delay must be at most maxDelay, but is " + delay + ", and that is " + maxDelay);
			}
			// Who asks for a longer delay than usual is to have it.
			maxDelay = delay;
		}
		return new BackoffPolicy(delay,
				(annotation.multiplier() < 0) ? this.backoff.multiplier() : annotation.multiplier(), maxDelay,
				(annotation.jitter() < 0) ? this.backoff.jitter() : annotation.jitter());
	}

	private static Duration duration(String attribute, String text, Duration otherwise) {
		try {
			return StringUtils.hasText(text) ? DurationStyle.detectAndParse(text) : otherwise;
		}
		catch (IllegalArgumentException ex) {
			throw new IllegalArgumentException(
					attribute + " must be a duration as 30s, 5m or 1h, but is '" + text + "'");
		}
	}

}
