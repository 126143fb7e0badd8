package io.jobqueue.dashboard.api;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

import io.jobqueue.JobFilter;
import io.jobqueue.JobState;
import org.jspecify.annotations.Nullable;

/**
 * Which jobs are meant, as texts.
 *
 * @param state the state, in lower case; null for any
 * @param queue the queue; null for any
 * @param type the type; null for any
 * @param orderKey the order key; null for any
 * @param limitKey the limit key; null for any
 * @param cause the id of the cause; null for any
 * @param from the earliest time, as {@code 2026-12-31T23:59:00Z}; null for any
 * @param until the time before which it was; null for any
 */
record JobFilters(@Nullable String state, @Nullable String queue, @Nullable String type, @Nullable String orderKey,
		@Nullable String limitKey, @Nullable String cause, @Nullable String from, @Nullable String until) {

	private static final Instant EARLIEST = Instant.EPOCH;

	/** Beyond that databases know no time. */
	private static final Instant LATEST = Instant.parse("9999-01-01T00:00:00Z");

	/**
	 * Reads them.
	 * @throws IllegalArgumentException if one cannot be understood
	 */
	JobFilter filter() {
		return new JobFilter((this.state != null) ? state(this.state) : null, this.queue, this.type, this.orderKey,
				this.limitKey, (this.cause != null) ? number("A cause", this.cause) : null, time(this.from),
				time(this.until));
	}

	static JobState state(String text) {
		return Arrays.stream(JobState.values())
			.filter((state) -> state.name().equalsIgnoreCase(text))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException("There is no state '" + text + "'. The states are "
					+ Arrays.stream(JobState.values())
						.map((state) -> state.name().toLowerCase(Locale.ROOT))
						.collect(Collectors.joining(", "))));
	}

	static long number(String what, @Nullable String text) {
		try {
			return Long.parseLong(String.valueOf(text));
		}
		catch (NumberFormatException ex) {
			throw new IllegalArgumentException(what + " is a number, but not '" + text + "'");
		}
	}

	static @Nullable Instant time(@Nullable String text) {
		try {
			Instant time = (text != null) ? Instant.parse(text) : null;
			if (time != null && (time.isBefore(EARLIEST) || !time.isBefore(LATEST))) {
				throw new IllegalArgumentException("A time is from " + EARLIEST + " to " + LATEST);
			}
			return time;
		}
		catch (DateTimeException ex) {
			throw new IllegalArgumentException("A time is written as 2026-12-31T23:59:00Z, but not '" + text + "'");
		}
	}

}
