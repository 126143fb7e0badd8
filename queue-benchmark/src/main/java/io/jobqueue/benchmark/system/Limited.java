package io.jobqueue.benchmark.system;

import java.time.Duration;

import io.jobqueue.Limit;

/**
 * In which ways jobs are limited. Each has a job type of its own.
 */
public enum Limited {

	/** Ten at once of each key; each takes its time. */
	TEN_AT_ONCE(Limit.of("ten-at-once").running(10), 20),

	/** Two at once of each key; they do nothing. */
	TWO_AT_ONCE(Limit.of("two-at-once").running(2), 0),

	/** A hundred starts in a second; each takes its time. */
	HUNDRED_A_SECOND(Limit.of("hundred-a-second").starts(100, Duration.ofSeconds(1)), 20),

	/** A thousand starts in a second; they do nothing. */
	THOUSAND_A_SECOND(Limit.of("thousand-a-second").starts(1_000, Duration.ofSeconds(1)), 0);

	private final Limit limit;

	private final long millis;

	Limited(Limit limit, long millis) {
		this.limit = limit;
		this.millis = millis;
	}

	Limit limit() {
		return this.limit;
	}

	/**
	 * The type of its jobs, which is called as the limit.
	 */
	String type() {
		return this.limit.name();
	}

	/** How long a job takes. */
	long millis() {
		return this.millis;
	}

}
