package io.jobqueue.store.jdbc.limit;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

import io.jobqueue.database.Utc;
import org.jspecify.annotations.Nullable;

/**
 * What a limit allows at one moment. Starts are counted by one time only, up to which
 * they are used up (the generic cell rate algorithm): each start moves it on by the time
 * between two starts, and it may be ahead of now by as much as a burst takes. So in no
 * time more start than that time allows, and a burst beside.
 *
 * @param id the limit's number
 * @param name its name
 * @param running how many jobs may run at once
 * @param interval the time between two starts, in nanoseconds; 0 for none
 * @param burst how many may start at one moment
 * @param now the database's time, in nanoseconds since 1970
 */
public record Rule(int id, String name, int running, long interval, int burst, long now) {

	private static final long NANOS_PER_MILLI = 1_000_000;

	private static final long LONGEST_MILLIS = Duration.ofDays(31).toMillis();

	/** By so much a start may come late without the next one being late for it. */
	private static final long LATE_NANOS = Duration.ofMillis(25).toNanos();

	/** Where the next starts are a moment away, some are waited for together. */
	private static final long TOGETHER_NANOS = Duration.ofMillis(25).toNanos();

	/**
	 * Reads a row. Another program may have written anything.
	 */
	static Rule read(ResultSet row) throws SQLException {
		int running = row.getInt("running");
		int starts = row.getInt("starts");
		long per = Math.max(1, Math.min(LONGEST_MILLIS, row.getLong("per_ms"))) * NANOS_PER_MILLI;
		return new Rule(row.getInt("id"), row.getString("name"), (running > 0) ? running : Integer.MAX_VALUE,
				(starts > 0) ? (per + starts - 1) / starts : 0, Math.max(1, Math.min(starts, row.getInt("burst"))),
				row.getLong("now") * 1_000);
	}

	public boolean limitsStarts() {
		return this.interval > 0;
	}

	/**
	 * How many may start now.
	 * @param bookedUntil up to when starts are used up
	 */
	public int startsLeft(long bookedUntil) {
		return limitsStarts() ? (int) ((horizon() - used(bookedUntil)) / this.interval) : Integer.MAX_VALUE;
	}

	/**
	 * No start moves it beyond the horizon. A time that is further ahead was written
	 * before the clock was put back: by a little, it is waited for; else it tells
	 * nothing.
	 */
	private long used(long bookedUntil) {
		boolean clockWasPutBack = bookedUntil - horizon() > this.burst * this.interval;
		long floor = this.now + floorFromNow();
		return clockWasPutBack ? floor : Math.max(floor, Math.min(bookedUntil, horizon()));
	}

	/**
	 * From where starts are counted that were not used: from now on. Where no two may
	 * start together, each start would so move all later ones by the time by which it is
	 * late itself, and their rate would never be reached. There half the time between two
	 * starts is made up for, so that it is never shorter than that.
	 */
	private long floorFromNow() {
		return (this.burst == 1) ? -Math.min(LATE_NANOS, this.interval / 2) : 0;
	}

	private long horizon() {
		return this.now + this.burst * this.interval;
	}

	/**
	 * Up to when starts are used up after some more.
	 * @param bookedUntil up to when they are
	 * @param starts how many
	 */
	public long booked(long bookedUntil, int starts) {
		return limitsStarts() ? used(bookedUntil) + starts * this.interval : bookedUntil;
	}

	/**
	 * What is to be written for some starts. They take place later than they were
	 * counted, so they are counted from the time at which that is written.
	 * @param allowance the allowance, locked
	 * @param starts how many
	 * @param lookAt how long from now a job that waits may start; null to leave what is
	 * written
	 */
	public Booking book(Allowance allowance, int starts, @Nullable Duration lookAt) {
		boolean none = starts == 0 || !limitsStarts();
		return new Booking(allowance.key(), none ? allowance.bookedUntil() : used(allowance.bookedUntil()),
				none ? Booking.NOT_FROM_NOW : floorFromNow(), none ? 0 : starts * this.interval,
				(lookAt != null) ? Utc.of(Utc.instant(this.now / 1_000).plus(lookAt)) : allowance.lookAt());
	}

	/**
	 * How long until one may start.
	 * @param bookedUntil up to when starts are used up
	 */
	public Duration untilNext(long bookedUntil) {
		return Duration.ofNanos(Math.max(0, used(bookedUntil) + this.interval - horizon()));
	}

	/**
	 * How long until it is worth while to ask again: until one may start, or some, if
	 * they follow each other closely.
	 * @param bookedUntil up to when starts are used up
	 */
	public Duration untilSome(long bookedUntil) {
		long together = Math.min(TOGETHER_NANOS, this.burst * this.interval / 2);
		return untilNext(bookedUntil).plusNanos(Math.max(0, together - this.interval));
	}

}
