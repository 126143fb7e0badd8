package io.jobqueue.maintenance;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;

import io.jobqueue.schedule.Timing;
import io.jobqueue.store.ScheduleStore;
import io.jobqueue.store.StoredSchedule;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pulls back ticks that are further away than their schedule says. They are there after
 * the database's clock was ahead for a while; without this, a schedule would rest until
 * the time that the clock had shown.
 */
final class TicksAhead {

	private static final Logger log = LoggerFactory.getLogger(TicksAhead.class);

	private static final Duration INTERVAL = Duration.ofMinutes(10);

	/**
	 * A transaction that has begun before the clock went back may write a tick of the
	 * time before, or keep its row locked; none lasts longer.
	 */
	private static final Duration SETTLING = Duration.ofMinutes(2);

	/** What two readings may differ by without a jump. */
	private static final Duration TOLERANCE = Duration.ofSeconds(2);

	/** No failed schedule waits longer. */
	private static final Duration LONGEST_RETRY = Duration.ofMinutes(15);

	private static final int PAGE = 1_000;

	private final ScheduleStore store;

	private @Nullable Instant lastNow;

	private long lastNanos;

	private long checkedNanos;

	private long settledNanos;

	TicksAhead(ScheduleStore store) {
		this.store = store;
	}

	/**
	 * Looks at all schedules if the clock has gone back, again and again for a while
	 * then, and now and then in any case.
	 * @param reading what the database's clock has shown, and when
	 */
	void check(SharedAgenda.Reading reading) {
		LocalDateTime shown = reading.agenda().now();
		if (shown == null) {
			return;
		}
		Instant now = shown.toInstant(ZoneOffset.UTC);
		long nanos = reading.begun();
		Instant before = this.lastNow;
		if (before == null) {
			this.settledNanos = nanos;
		}
		else if (now.isBefore(before.plusNanos(nanos - this.lastNanos).minus(TOLERANCE))) {
			this.settledNanos = nanos + SETTLING.toNanos();
		}
		if (nanos - this.settledNanos <= 0 || nanos - this.checkedNanos > INTERVAL.toNanos()) {
			pullBack();
			this.checkedNanos = nanos;
		}
		this.lastNow = now;
		this.lastNanos = nanos;
	}

	private void pullBack() {
		long after = 0;
		List<StoredSchedule> page;
		do {
			page = this.store.ahead(after, PAGE);
			for (StoredSchedule schedule : page) {
				pullBack(schedule);
				after = schedule.id();
			}
		}
		while (page.size() == PAGE && !Thread.currentThread().isInterrupted());
	}

	private void pullBack(StoredSchedule schedule) {
		Instant next = schedule.times().next();
		if (next == null) {
			return;
		}
		Instant now = schedule.readAt();
		Instant latest = next;
		if (next.isAfter(now)) {
			try {
				Timing timing = schedule.understood().timing();
				latest = timing.firstAfter(next, now);
			}
			catch (RuntimeException ex) {
				// What cannot be understood is told of when it is due.
				log.debug("The schedule '{}' cannot be understood", schedule.name(), ex);
			}
		}
		Instant due = schedule.times().due();
		boolean waitsTooLong = due != null && !due.equals(next) && due.isAfter(now.plus(LONGEST_RETRY));
		if (((latest != null && latest.isBefore(next)) || waitsTooLong) && this.store.move(schedule, latest)) {
			log.warn("The next tick of the schedule '{}' was {}, which is too far away: the database's clock has gone "
					+ "back. It is {} now", schedule.name(), next, latest);
		}
	}

}
