package io.jobqueue.retry;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * How long a failed job waits before its next attempt.
 *
 * @param delay the delay after the first failure
 * @param multiplier what each further failure multiplies it by; 1 makes it fixed
 * @param maxDelay the longest delay, before jitter
 * @param jitter the share of the delay by which it varies, from 0 to 1
 */
public record BackoffPolicy(Duration delay, double multiplier, Duration maxDelay, double jitter) {

	public static final BackoffPolicy DEFAULT = new BackoffPolicy(Duration.ofSeconds(1), 2, Duration.ofHours(1), 0.2);

	/** A hundred years. */
	private static final double MAX_SECONDS = 36500.0 * 24 * 3600;

	public BackoffPolicy {
		if (delay.isNegative() || maxDelay.isNegative()) {
			throw new IllegalArgumentException("backoff delays must not be negative: " + delay + ", " + maxDelay);
		}
		if (!(multiplier >= 1)) {
			throw new IllegalArgumentException("backoff multiplier must be at least 1, but is " + multiplier);
		}
		if (!(jitter >= 0 && jitter <= 1)) {
			throw new IllegalArgumentException("backoff jitter must be from 0 to 1, but is " + jitter);
		}
	}

	/**
	 * The delay after a failed attempt.
	 * @param attempt the attempt that failed, from 1
	 * @param random the source of the jitter
	 * @return the delay
	 */
	public Duration delayAfter(int attempt, RandomGenerator random) {
		double seconds = Math.min(seconds(this.maxDelay),
				seconds(this.delay) * Math.pow(this.multiplier, Math.max(0, attempt - 1)));
		double factor = 1 + this.jitter * (2 * random.nextDouble() - 1);
		return Duration.ofNanos((long) (Math.min(MAX_SECONDS, seconds * factor) * 1e9));
	}

	private static double seconds(Duration duration) {
		return duration.getSeconds() + duration.getNano() / 1e9;
	}

}
