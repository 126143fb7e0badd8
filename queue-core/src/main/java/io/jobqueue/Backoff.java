package io.jobqueue;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * How long a failed job waits before its next attempt:
 * {@code delay × multiplier^(attempt − 1)}, at most {@code maxDelay}, and then up to
 * {@code jitter} of that more or less. Durations are written as in Spring Boot's
 * properties ({@code 500ms}, {@code 10s}, {@code 1h}, {@code PT1M}). A duration may be a
 * property, as <code>${my.delay}</code>. An empty duration or a negative number means the
 * value of the {@code jobqueue.retry} properties.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target({})
public @interface Backoff {

	/**
	 * The delay after the first failure.
	 * @return a duration, or empty for the default (1 s)
	 */
	String delay() default "";

	/**
	 * What each further failure multiplies the delay by; 1 makes it fixed.
	 * @return at least 1, or negative for the default (2)
	 */
	double multiplier() default -1;

	/**
	 * The longest delay, before jitter.
	 * @return a duration, or empty for the default (1 h)
	 */
	String maxDelay() default "";

	/**
	 * The share of the delay by which it varies at random, so that jobs that failed
	 * together do not come back together.
	 * @return from 0 to 1, or negative for the default (0.2)
	 */
	double jitter() default -1;

}
