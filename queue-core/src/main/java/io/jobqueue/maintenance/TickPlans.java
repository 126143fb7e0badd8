package io.jobqueue.maintenance;

import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.jobqueue.store.ScheduleStore;
import io.jobqueue.store.SqlFailure;
import io.jobqueue.store.Texts;
import io.jobqueue.store.StoredSchedule;
import io.jobqueue.store.TickPlan;
import io.jobqueue.text.Durations;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Plans the ticks of schedules that are due. Those that cannot be planned or enqueued
 * wait, longer after each failure.
 */
final class TickPlans {

	private static final Logger log = LoggerFactory.getLogger(TickPlans.class);

	private static final Duration FIRST_RETRY = Duration.ofSeconds(10);

	private static final int MOST_DOUBLINGS = 6;

	private static final int LONGEST_PROBLEM = 1_000;

	/** Another node may understand what this one does not, as a newer time zone. */
	private static final Duration OTHERS_FIRST = Duration.ofMinutes(1);

	private final ScheduleStore store;

	/** Names of those that were told of. */
	private final Set<String> unwritten = ConcurrentHashMap.newKeySet();

	TickPlans(ScheduleStore store) {
		this.store = store;
	}

	/**
	 * Another program, or another version of Java's time zones, may have left what cannot
	 * be understood.
	 */
	@Nullable TickPlan planOrNull(StoredSchedule schedule) {
		try {
			return TickPlan.of(schedule);
		}
		catch (RuntimeException ex) {
			Instant next = schedule.times().next();
			if (next == null || schedule.readAt().isAfter(next.plus(OTHERS_FIRST))) {
				noteProblem(schedule, ex);
			}
			return null;
		}
	}

	/**
	 * Writes down why a schedule's tick waits.
	 */
	void noteProblem(StoredSchedule schedule, RuntimeException failure) {
		int failures = schedule.counts().failures();
		// Another program may have written any number.
		Duration retryAfter = FIRST_RETRY.multipliedBy(1L << Math.max(0, Math.min(failures, MOST_DOUBLINGS)));
		String problem = String.valueOf(failure.getMessage());
		boolean noted = false;
		try {
			noted = this.store.noteProblem(schedule, Texts.shortened(problem, LONGEST_PROBLEM), retryAfter);
		}
		catch (RuntimeException ex) {
			if (SqlFailure.isOutage(ex)) {
				throw ex;
			}
			if (this.unwritten.add(schedule.name())) {
				log.warn("That the schedule '{}' has a problem cannot be written down. It waits, and others go on: {}",
						schedule.name(), ex.toString());
			}
		}
		if (noted && failures == 0) {
			log.warn("The job of the schedule '{}' could not be enqueued. Its tick waits, and is tried again after {} "
					+ "and then less often: {}", schedule.name(), Durations.text(retryAfter), problem);
		}
		log.debug("The schedule '{}' failed", schedule.name(), failure);
	}

}
