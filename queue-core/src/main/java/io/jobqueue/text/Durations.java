package io.jobqueue.text;

import java.time.Duration;
import java.util.regex.Pattern;

import org.springframework.format.annotation.DurationFormat;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

/**
 * Durations as people write and read them: {@code 30s}, {@code 1m30s}.
 */
public final class Durations {

	private static final Pattern ISO_8601 = Pattern.compile("[+-]?[pP].*");

	private Durations() {
	}

	/**
	 * Reads a duration as annotations have them: as Spring Boot's properties, {@code 30s}
	 * or {@code PT30S}. A number without a unit is in milliseconds.
	 * @param attribute the annotation's attribute
	 * @param text what it says
	 * @throws IllegalArgumentException if that is no duration
	 */
	public static Duration parse(String attribute, String text) {
		try {
			return DurationFormatterUtils.parse(text,
					ISO_8601.matcher(text).matches() ? DurationFormat.Style.ISO8601 : DurationFormat.Style.SIMPLE);
		}
		catch (IllegalArgumentException ex) {
			throw new IllegalArgumentException(
					attribute + " must be a duration as 30s, 5m or 1h, but is '" + text + "'", ex);
		}
	}

	/**
	 * Writes a duration.
	 * @param duration the duration
	 * @return the text, such as {@code 1m30s}, {@code 100ms} or {@code 0s}
	 */
	public static String text(Duration duration) {
		return DurationFormatterUtils.print(duration, DurationFormat.Style.COMPOSITE);
	}

}
