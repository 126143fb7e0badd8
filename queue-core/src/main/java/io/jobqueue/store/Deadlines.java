package io.jobqueue.store;

import java.time.Duration;
import java.util.Map;

/**
 * How long a job may stay claimed before rescue takes it from a worker that hangs.
 *
 * @param timeouts how long an attempt may run, by type; zero for no limit
 * @param otherwise the same for types that are not named
 * @param margin what is added: an attempt may have to wait for a slot, and the worker is
 * to have its chance to end it itself
 */
public record Deadlines(Map<String, Duration> timeouts, Duration otherwise, Duration margin) {

	/** As good as never. */
	public static final Duration NEVER = Duration.ofDays(36500);

	/**
	 * The same for every type.
	 * @param deadline how long a job may stay claimed that has no timeout of its own;
	 * else so much longer
	 * @return the deadlines
	 */
	public static Deadlines always(Duration deadline) {
		return new Deadlines(Map.of(), Duration.ofNanos(1), deadline);
	}

	/**
	 * How long a job may stay claimed.
	 * @param type its type
	 * @param ofJob its own timeout; zero or less if it has none
	 * @return the time from its claim
	 */
	public Duration of(String type, Duration ofJob) {
		boolean own = !ofJob.isZero() && !ofJob.isNegative();
		Duration timeout = own ? ofJob : this.timeouts.getOrDefault(type, this.otherwise);
		return (timeout.isZero() || timeout.compareTo(NEVER) >= 0) ? NEVER : timeout.plus(this.margin);
	}

}
