package io.jobqueue.spring.autoconfigure;

import java.time.Duration;

import io.jobqueue.NewJob;
import io.jobqueue.text.Durations;

import org.springframework.util.unit.DataSize;

/**
 * What the values of properties have in common. Each method throws an
 * {@code IllegalArgumentException} that names the property, the rule and the value.
 */
final class PropertyRules {

	/** What a MEDIUMTEXT holds. */
	private static final long MAX_PAYLOAD = 16_777_215;

	/** More, and a time reckoned with it could be one that DATETIME does not have. */
	private static final Duration MAX_DURATION = Duration.ofDays(36500);

	private static final Duration MAX_SESSION = Duration.ofDays(1);

	private PropertyRules() {
	}

	static void check(boolean holds, String property, String rule, Object value) {
		if (!holds) {
			throw new IllegalArgumentException("jobqueue." + property + " must be " + rule + ", but is "
					+ ((value instanceof Duration duration) ? Durations.text(duration) : value));
		}
	}

	static void size(String property, DataSize value, long least) {
		check(value.toBytes() >= least && value.toBytes() <= MAX_PAYLOAD, property,
				"from " + least + " to " + MAX_PAYLOAD + " bytes", value);
	}

	static void duration(String property, Duration value) {
		check(!value.isNegative() && value.compareTo(MAX_DURATION) <= 0, property, "from 0 to 36500 days", value);
	}

	static void duration(String property, Duration value, long leastMillis) {
		check(value.compareTo(Duration.ofMillis(leastMillis)) >= 0 && value.compareTo(MAX_DURATION) <= 0, property,
				"from " + leastMillis + " ms to 36500 days", value);
	}

	static void sessionTimeout(String property, Duration value, Duration heartbeatInterval) {
		check(value.compareTo(heartbeatInterval.multipliedBy(2)) >= 0 && value.compareTo(MAX_SESSION) <= 0, property,
				"at least twice the heartbeat-interval of " + Durations.text(heartbeatInterval) + " and at most a day",
				value);
	}

	static void queueName(String property, String name) {
		try {
			NewJob.of("any").queue(name);
		}
		catch (IllegalArgumentException ex) {
			// Without its cause, which is all that Spring Boot would show.
			throw new IllegalArgumentException("jobqueue." + property + ": " + ex.getMessage());
		}
	}

}
