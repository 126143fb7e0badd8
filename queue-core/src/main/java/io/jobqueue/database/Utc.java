package io.jobqueue.database;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;

import org.jspecify.annotations.Nullable;

/**
 * Times as the tables keep them: DATETIME(6) in UTC. {@code LocalDateTime} is the one
 * mapping that MySQL's driver leaves alone whatever the session's and the JVM's time
 * zones are.
 */
public final class Utc {

	private static final int NEVER_YEAR = 9999;

	private Utc() {
	}

	public static LocalDateTime of(Instant instant) {
		return LocalDateTime.ofInstant(instant.truncatedTo(ChronoUnit.MICROS), ZoneOffset.UTC);
	}

	/**
	 * A time, or one that is before all that the tables keep.
	 */
	public static LocalDateTime orEpoch(@Nullable LocalDateTime time) {
		return (time != null) ? time : of(Instant.EPOCH);
	}

	public static Instant instant(ResultSet row, String column) throws SQLException {
		return row.getObject(column, LocalDateTime.class).toInstant(ZoneOffset.UTC);
	}

	/**
	 * A time that is read as a number.
	 * @param micros the microseconds since 1970
	 */
	public static Instant instant(long micros) {
		return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
	}

	public static @Nullable Instant instantOrNull(ResultSet row, String column) throws SQLException {
		LocalDateTime time = row.getObject(column, LocalDateTime.class);
		return (time != null && time.getYear() < NEVER_YEAR) ? time.toInstant(ZoneOffset.UTC) : null;
	}

	public static long micros(Duration duration) {
		return Math.addExact(Math.multiplyExact(duration.getSeconds(), 1_000_000L), duration.getNano() / 1_000);
	}

	public static Duration ofMicros(long micros) {
		return Duration.of(micros, ChronoUnit.MICROS);
	}

}
