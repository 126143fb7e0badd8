package io.jobqueue.store;

import java.time.Duration;
import java.time.LocalDateTime;

import org.jspecify.annotations.Nullable;

/**
 * What there is to do for maintenance, as one plain read has found it. Most of the time
 * there is nothing, and nothing else is asked.
 *
 * @param now the database's clock, in UTC; null if it is not known
 * @param rescue whether jobs run, or a session has expired
 * @param expire whether jobs have expired that wait
 * @param unknownStates whether jobs have states that do not exist
 * @param untilTick how long until the next tick of a schedule is due, not positive if one
 * is; null if no schedule ticks
 * @param operations whether operations on many jobs go on
 * @param keys what there is to be swept
 */
public record Agenda(@Nullable LocalDateTime now, boolean rescue, boolean expire, boolean unknownStates,
		@Nullable Duration untilTick, boolean operations, KeysInUse keys) {

	/** What there is to do if that cannot be found out: each part has to look itself. */
	public static final Agenda UNKNOWN = new Agenda(null, true, true, true, Duration.ZERO, true,
			new KeysInUse(true, true, true, true, true));

	/**
	 * Keys for which jobs wait.
	 *
	 * @param orderKeys whether there are order keys, or jobs that have a place in their
	 * order
	 * @param orderJobs whether jobs wait for order keys
	 * @param limitPlaces whether jobs have places of limit keys
	 * @param limitJobs whether jobs wait for limit keys
	 * @param limitKeys whether allowances of limit keys are there
	 */
	public record KeysInUse(boolean orderKeys, boolean orderJobs, boolean limitPlaces, boolean limitJobs,
			boolean limitKeys) {

	}

}
