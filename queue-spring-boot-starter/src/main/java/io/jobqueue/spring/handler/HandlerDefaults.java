package io.jobqueue.spring.handler;

import java.time.Duration;
import java.util.List;

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
 */
public record HandlerDefaults(int maxAttempts, BackoffPolicy backoff, Duration timeout) {

	Handler handler(JobHandler annotation, Handler.Invocation invocation) {
		int attempts = (annotation.maxAttempts() > 0) ? annotation.maxAttempts() : this.maxAttempts;
		RetryPolicy retry = new RetryPolicy(attempts, backoff(annotation.backoff()), List.of(annotation.noRetryFor()));
		return new Handler(annotation.value(), invocation, retry, duration(annotation.timeout(), this.timeout),
				annotation.transactional());
	}

	private BackoffPolicy backoff(Backoff annotation) {
		return new BackoffPolicy(duration(annotation.delay(), this.backoff.delay()),
				(annotation.multiplier() < 0) ? this.backoff.multiplier() : annotation.multiplier(),
				duration(annotation.maxDelay(), this.backoff.maxDelay()),
				(annotation.jitter() < 0) ? this.backoff.jitter() : annotation.jitter());
	}

	private static Duration duration(String text, Duration otherwise) {
		return StringUtils.hasText(text) ? DurationStyle.detectAndParse(text) : otherwise;
	}

}
