package io.jobqueue.dashboard.api;

import java.time.Duration;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * How far back charts go.
 */
enum ChartRange {

	HOUR(Duration.ofHours(1), Duration.ofMinutes(1), Duration.ofSeconds(10)),

	DAY(Duration.ofDays(1), Duration.ofMinutes(10), Duration.ofMinutes(1)),

	WEEK(Duration.ofDays(7), Duration.ofHours(1), Duration.ofMinutes(5)),

	QUARTER(Duration.ofDays(90), Duration.ofHours(6), Duration.ofMinutes(30));

	private final Duration length;

	private final Duration step;

	private final Duration readAgain;

	ChartRange(Duration length, Duration step, Duration readAgain) {
		this.length = length;
		this.step = step;
		this.readAgain = readAgain;
	}

	static ChartRange of(@Nullable String name) {
		for (ChartRange range : values()) {
			if (range.name().toLowerCase(Locale.ROOT).equals((name != null) ? name : "hour")) {
				return range;
			}
		}
		throw new IllegalArgumentException("A range is hour, day, week or quarter, not '" + name + "'");
	}

	/** How far back. */
	Duration length() {
		return this.length;
	}

	/** What one point stands for. */
	Duration step() {
		return this.step;
	}

	/** How long one answer is good. */
	Duration readAgain() {
		return this.readAgain;
	}

}
