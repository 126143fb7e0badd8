package io.jobqueue.rule;

import java.time.Duration;
import java.util.regex.Pattern;

import org.springframework.format.annotation.DurationFormat;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

/**
 * Durations as annotations have them: as Spring Boot's properties, {@code 30s} or
 * {@code PT30S}.
 */
final class Durations {

	private static final Pattern ISO_8601 = Pattern.compile("[+-]?[pP].*");

	private Durations() {
	}

	/**
	 * Reads a duration. A number without a unit is in milliseconds.
	 * @param attribute the annotation's attribute
	 * @param text what it says
	 * @throws IllegalArgumentException if that is no duration
	 */
	static Duration parse(String attribute, String text) {
		try {
			return DurationFormatterUtils.parse(text,
					ISO_8601.matcher(text).matches() ? DurationFormat.Style.ISO8601 : DurationFormat.Style.SIMPLE);
		}
		catch (IllegalArgumentException ex) {
			throw new IllegalArgumentException(
					attribute + " must be a duration as 30s, 5m or 1h, but is '" + text + "'", ex);
		}
	}

}
