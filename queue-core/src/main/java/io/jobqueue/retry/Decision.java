package io.jobqueue.retry;

import java.time.Duration;

/**
 * What becomes of a job whose attempt failed.
 */
public sealed interface Decision {

	/**
	 * It is run again.
	 *
	 * @param delay how long it waits first
	 */
	record RetryAfter(Duration delay) implements Decision {
	}

	/**
	 * It is dead.
	 */
	record GiveUp() implements Decision {
	}

}
