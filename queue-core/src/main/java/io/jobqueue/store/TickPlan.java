package io.jobqueue.store;

import io.jobqueue.schedule.DueTicks;

/**
 * What is to be done with a schedule whose tick is due.
 *
 * @param schedule the schedule as it was read
 * @param ticks what becomes of its ticks
 */
public record TickPlan(StoredSchedule schedule, DueTicks ticks) {

	/**
	 * Plans what becomes of the ticks that were due when a schedule was read.
	 * @param schedule the schedule, which has a next tick
	 * @return the plan
	 * @throws RuntimeException if what was stored cannot be understood
	 */
	public static TickPlan of(StoredSchedule schedule) {
		ScheduleDefinition definition = schedule.understood();
		if (schedule.times().next() == null) {
			throw new IllegalArgumentException("The schedule '" + schedule.name() + "' has no next tick");
		}
		return new TickPlan(schedule, DueTicks.of(definition.timing(), schedule.times().next(), schedule.readAt(),
				definition.missed().catchUp(), definition.missed().limit()));
	}

}
