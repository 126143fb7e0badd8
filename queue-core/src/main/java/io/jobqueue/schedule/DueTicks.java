package io.jobqueue.schedule;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

import io.jobqueue.CatchUp;

import org.jspecify.annotations.Nullable;

/**
 * What becomes of the ticks of a schedule that are due. They are counted from the stored
 * one on, so that none is lost while nobody looks, and none is counted twice.
 *
 * @param fire the ticks that are to have a job, the oldest first
 * @param missed how many are due and have none
 * @param next the tick that follows; null if none does
 */
public record DueTicks(List<Instant> fire, long missed, @Nullable Instant next) {

	/** More than these are not counted, so that nobody has to wait for it. */
	public static final int MOST_COUNTED = 10_000;

	/**
	 * How late a tick may be for {@link CatchUp#SKIP}: a node may be slow, and others may
	 * have to notice that one is gone.
	 */
	static final Duration IN_TIME = Duration.ofMinutes(1);

	/**
	 * Counts the ticks up to a time, for whoever counts all of them as missed.
	 * @param timing when the schedule ticks
	 * @param first the stored tick
	 * @param time the time
	 * @return how many are due; {@value #MOST_COUNTED} at most
	 */
	public static long count(Timing timing, Instant first, Instant time) {
		DueTicks due = of(timing, first, time, CatchUp.ONCE, 1);
		return due.missed() + due.fire().size();
	}

	/**
	 * Sorts out the ticks up to now.
	 * @param timing when the schedule ticks
	 * @param first the stored tick
	 * @param now the time by the database's clock
	 * @param catchUp which of the missed ones are caught up
	 * @param limit how many at most, if all are
	 * @return what becomes of them; nothing to fire if the stored one is not due
	 */
	public static DueTicks of(Timing timing, Instant first, Instant now, CatchUp catchUp, int limit) {
		int keep = (catchUp == CatchUp.ALL) ? limit : 1;
		Deque<Instant> latest = new ArrayDeque<>();
		long due = 0;
		Instant tick = first;
		while (tick != null && !tick.isAfter(now) && due < MOST_COUNTED) {
			latest.addLast(tick);
			if (latest.size() > keep) {
				latest.removeFirst();
			}
			due++;
			tick = timing.after(tick);
		}
		if (tick != null && !tick.isAfter(now)) {
			latest.addAll(timing.latest(keep, tick, now));
			while (latest.size() > keep) {
				latest.removeFirst();
			}
			tick = timing.after(latest.getLast());
		}
		if (catchUp == CatchUp.SKIP && !latest.isEmpty() && now.isAfter(latest.getLast().plus(IN_TIME))) {
			latest.clear();
		}
		return new DueTicks(List.copyOf(latest), due - latest.size(), tick);
	}

}
