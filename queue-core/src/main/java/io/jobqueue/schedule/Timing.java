package io.jobqueue.schedule;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.zone.ZoneOffsetTransition;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import org.springframework.scheduling.support.CronExpression;

/**
 * The times at which a schedule ticks: those of a cron expression in a time zone, or
 * those that are a fixed time apart.
 */
public final class Timing {

	private static final Duration LEAST_INTERVAL = Duration.ofSeconds(1);

	/** Twice as long each time; the last one is some thousand years. */
	private static final int MOST_WINDOWS = 40;

	/** The place of the hour among the fields of an expression. */
	private static final int HOUR = 2;

	private final @Nullable CronExpression cron;

	private final Duration interval;

	private final ZoneId zone;

	private Timing(@Nullable CronExpression cron, Duration interval, ZoneId zone) {
		this.cron = cron;
		this.interval = interval;
		this.zone = zone;
	}

	/**
	 * The times of a schedule.
	 * @param cron the cron expression; empty if the interval says when
	 * @param interval the time between two ticks, if there is no expression
	 * @param zone the time zone of the expression
	 * @throws java.time.DateTimeException if there is no such zone
	 * @throws IllegalArgumentException if the expression is not valid, or there is
	 * neither an expression nor an interval of a second or more
	 */
	public static Timing of(String cron, Duration interval, String zone) {
		if (cron.isEmpty() && interval.compareTo(LEAST_INTERVAL) < 0) {
			throw new IllegalArgumentException(
					"A schedule needs a cron expression, or an interval of a second or more");
		}
		return new Timing(cron.isEmpty() ? null : CronExpression.parse(cron), interval, ZoneId.of(zone));
	}

	/**
	 * The tick that follows another one.
	 * @param tick a tick; for a cron expression any time
	 * @return the next one; null if none follows
	 */
	public @Nullable Instant after(Instant tick) {
		if (this.cron == null) {
			return tick.plus(this.interval);
		}
		if (isOfEachHour(this.cron)) {
			ZonedDateTime next = this.cron.next(ZonedDateTime.ofInstant(tick, this.zone));
			return (next != null) ? next.toInstant() : null;
		}
		return byWallClock(this.cron, tick);
	}

	/**
	 * What is to happen each hour, minute or second follows elapsed time, so that no hour
	 * is left out at the end of daylight saving.
	 */
	private static boolean isOfEachHour(CronExpression cron) {
		return cron.toString().split(" +")[HOUR].startsWith("*");
	}

	/**
	 * What is to happen at an hour of the day follows the clock on the wall. If that
	 * passes over the time, it happens right after; if it shows the time twice, once.
	 * Left to itself, the expression would pass over it too, or happen twice.
	 */
	private @Nullable Instant byWallClock(CronExpression cron, Instant tick) {
		LocalDateTime wall = cron.next(LocalDateTime.ofInstant(tick, this.zone));
		while (wall != null) {
			ZoneOffsetTransition transition = this.zone.getRules().getTransition(wall);
			Instant time = (transition != null && transition.isGap()) ? transition.getInstant()
					: wall.atZone(this.zone).withEarlierOffsetAtOverlap().toInstant();
			if (time.isAfter(tick)) {
				return time;
			}
			wall = cron.next(wall);
		}
		return null;
	}

	/**
	 * The first tick after a time.
	 * @param tick a tick, before or after that time, which tells where those of a fixed
	 * interval are
	 * @param time the time
	 * @return the first tick after it; null if there is none
	 */
	public @Nullable Instant firstAfter(Instant tick, Instant time) {
		if (this.cron != null) {
			return after(time);
		}
		long millis = this.interval.toMillis();
		long steps = Math.floorDiv(Duration.between(tick, time).toMillis(), millis);
		Instant found = tick.plusMillis(Math.multiplyExact(steps, millis));
		while (!found.isAfter(time)) {
			found = found.plus(this.interval);
		}
		return found;
	}

	/**
	 * The last ticks up to a time, however many there are before them.
	 * @param count how many are wanted
	 * @param from the first tick that counts
	 * @param time the time, not before it
	 * @return the ticks, the oldest first
	 */
	List<Instant> latest(int count, Instant from, Instant time) {
		if (this.cron == null) {
			Instant end = Objects.requireNonNull(firstAfter(from, time));
			long steps = Math.min(count, Duration.between(from, end).dividedBy(this.interval));
			List<Instant> ticks = new ArrayList<>();
			for (long step = steps; step >= 1; step--) {
				ticks.add(end.minus(this.interval.multipliedBy(step)));
			}
			return ticks;
		}
		// Cron expressions can only be asked for what follows.
		Deque<Instant> ticks = new ArrayDeque<>();
		for (int window = 0; window < MOST_WINDOWS && ticks.size() < count; window++) {
			Instant start = time.minusSeconds(1L << window);
			boolean all = start.isBefore(from);
			ticks = lastBetween(all ? from.minusNanos(1) : start, time, count);
			if (all) {
				break;
			}
		}
		return List.copyOf(ticks);
	}

	private Deque<Instant> lastBetween(Instant start, Instant end, int count) {
		Deque<Instant> ticks = new ArrayDeque<>();
		for (Instant tick = after(start); tick != null && !tick.isAfter(end); tick = after(tick)) {
			ticks.addLast(tick);
			if (ticks.size() > count) {
				ticks.removeFirst();
			}
		}
		return ticks;
	}

	/**
	 * In words, for operators.
	 */
	@Override
	public String toString() {
		return (this.cron != null) ? "cron " + this.cron + " in " + this.zone : "every " + this.interval;
	}

}
