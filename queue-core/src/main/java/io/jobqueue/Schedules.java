package io.jobqueue;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Recurring jobs: schedules that are saved while the application runs, and what operators
 * do with them and with those that are {@linkplain Recurring declared in code}. A
 * schedule is a row in the database. Each tick has one job, whichever node enqueues it;
 * every node with a worker does.
 * <p>
 * Unless said otherwise, each method runs in a transaction of its own. So it sees what is
 * committed only; and in a transaction that has just saved a schedule, a call that would
 * change the same one fails after five seconds, with a
 * {@link org.springframework.dao.DataAccessException}.
 */
public interface Schedules {

	/**
	 * Saves a schedule, new or changed, as part of the caller's transaction if there is
	 * one. If its definition has changed, its next tick is computed anew; if not, nothing
	 * is moved. What was counted stays, and so does a pause.
	 * @param schedule the schedule
	 * @throws IllegalArgumentException if the schedule or its job's payload is not valid
	 * @throws IllegalStateException if a running node declares a schedule of this name in
	 * code; or if a transaction is open that is not on the queue's DataSource
	 */
	void save(Schedule schedule);

	/**
	 * Pauses a schedule on all nodes. Ticks while it is paused are neither fired nor
	 * caught up.
	 * @param name its name
	 * @return whether there is such a schedule
	 */
	boolean pause(String name);

	/**
	 * Ends a pause. The next tick is the first one from now on.
	 * @param name its name
	 * @return whether there is such a schedule
	 */
	boolean resume(String name);

	/**
	 * Enqueues the schedule's job now, apart from its ticks, also while it is paused. Its
	 * {@link JobContext#scheduledFor()} is now.
	 * @param name its name
	 * @return the job's id; empty if the schedule's last job is live and it does not
	 * allow two
	 * @throws IllegalArgumentException if there is no such schedule
	 */
	Optional<Long> trigger(String name);

	/**
	 * Removes a schedule. Its jobs stay.
	 * @param name its name
	 * @return whether there was such a schedule
	 * @throws IllegalStateException if a running node declares it in code, where it would
	 * come back within half a minute; {@link #pause} it, or remove it from the code
	 */
	boolean remove(String name);

	/**
	 * Shows when a schedule ticks next; while it is paused, when it would.
	 * @param name its name
	 * @param count how many ticks, from 1 to 1,000
	 * @return the ticks, without jitter
	 * @throws IllegalArgumentException if there is no such schedule, or the count is out
	 * of range
	 */
	List<Instant> preview(String name, int count);

	/**
	 * Finds a schedule.
	 * @param name its name
	 * @return how it stands, or empty if there is none
	 */
	Optional<ScheduleStatus> find(String name);

	/**
	 * Lists all schedules.
	 * @return how they stand, by name
	 */
	List<ScheduleStatus> all();

}
