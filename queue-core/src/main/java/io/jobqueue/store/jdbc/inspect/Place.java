package io.jobqueue.store.jdbc.inspect;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.temporal.ChronoUnit;

import io.jobqueue.database.Utc;

import org.jspecify.annotations.Nullable;

/**
 * A place in a list.
 *
 * @param time the time by which the list is ordered; null for a list by id
 * @param id the job there
 */
record Place(@Nullable LocalDateTime time, long id) {

	/**
	 * Reads what {@link #toString} has written.
	 * @param text the text
	 * @param byTime whether the list is ordered by time
	 * @throws IllegalArgumentException if it is none of such a list
	 */
	static Place parse(String text, boolean byTime) {
		int separator = text.indexOf('.');
		try {
			if (byTime != separator >= 0) {
				throw new NumberFormatException("a place of another list");
			}
			long id = Long.parseLong(text.substring(separator + 1));
			return new Place(byTime ? Utc.of(Utc.instant(Long.parseLong(text.substring(0, separator)))) : null, id);
		}
		catch (NumberFormatException | DateTimeException | ArithmeticException ex) {
			throw new IllegalArgumentException("'" + text + "' is not where a page of this list ends", ex);
		}
	}

	@Override
	public String toString() {
		return (this.time != null) ? micros(this.time) + "." + this.id : Long.toString(this.id);
	}

	private static long micros(LocalDateTime time) {
		return ChronoUnit.MICROS.between(Utc.of(Instant.EPOCH), time);
	}

}
