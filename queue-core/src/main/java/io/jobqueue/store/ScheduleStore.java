package io.jobqueue.store;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * Where schedules are. Unless said otherwise, each method runs in a transaction of its
 * own, at READ COMMITTED.
 */
public interface ScheduleStore {

	/**
	 * Saves a schedule, in the caller's transaction or in one of its own.
	 * @param definition what it says
	 * @return runs something once it is committed
	 * @throws IllegalStateException if a live node declares one of this name, or the
	 * caller's transaction is on another DataSource
	 */
	Consumer<Runnable> save(ScheduleDefinition definition);

	/**
	 * Says what this node's code declares, and stores what nobody has a newer definition
	 * of.
	 * @param declared the schedules
	 * @param revision the higher, the newer
	 * @param live for how long this holds, unless it is said again
	 * @return the names of those whose definition was stored now
	 */
	List<String> declare(Collection<ScheduleDefinition> declared, long revision, Duration live);

	/**
	 * Pauses a schedule.
	 * @param name its name
	 * @return whether there is one
	 */
	boolean pause(String name);

	/**
	 * Ends a pause.
	 * @param name its name
	 * @return whether there is one
	 */
	boolean resume(String name);

	/**
	 * Enqueues a schedule's job now.
	 * @param name its name
	 * @return the job and its id; without them, if an earlier one is live and it does not
	 * allow two; empty if there is no such schedule
	 */
	Optional<Triggered> trigger(String name);

	/**
	 * Removes a schedule.
	 * @param name its name
	 * @return whether there was one
	 * @throws IllegalStateException if a running node declares it in code
	 */
	boolean remove(String name);

	/**
	 * Finds a schedule.
	 * @param name its name
	 * @return the schedule, or empty
	 */
	Optional<StoredSchedule> find(String name);

	/**
	 * Lists schedules, by name.
	 * @param after the name after which to go on; empty to start
	 * @param limit how many at most
	 */
	List<StoredSchedule> list(String after, int limit);

	/**
	 * Sums up all schedules.
	 */
	Summary summary();

	/**
	 * Reads the schedules that are to be looked at now, the longest due first.
	 * @param limit how many at most
	 * @return the schedules, and when the next one is due
	 */
	Due due(int limit);

	/**
	 * Does what was planned, for all together or none: enqueues jobs, and goes on to the
	 * next tick of each schedule. Leaves out those that somebody has locked, or that have
	 * changed since they were read.
	 * @param plans the plans
	 * @return what was done
	 */
	Fired fire(List<TickPlan> plans);

	/**
	 * Notes that a schedule's job could not be enqueued. Its tick stays.
	 * @param schedule the schedule as it was read
	 * @param problem why
	 * @param retryAfter when to try again
	 * @return whether that was noted; not if somebody has locked or changed the schedule
	 */
	boolean noteProblem(StoredSchedule schedule, String problem, Duration retryAfter);

	/**
	 * Lets a schedule rest that no live node declares.
	 * @param schedule the schedule as it was read
	 * @return whether it rests now
	 */
	boolean rest(StoredSchedule schedule);

	/**
	 * Lists schedules whose next tick is to come, by their numbers.
	 * @param after the number after which to go on
	 * @param limit how many at most
	 */
	List<StoredSchedule> ahead(long after, int limit);

	/**
	 * Moves a tick that is to come.
	 * @param schedule the schedule as it was read
	 * @param next its next tick; null for none
	 * @return whether it was still as it was read
	 */
	boolean move(StoredSchedule schedule, @Nullable Instant next);

	/**
	 * Forgets ticks that are over.
	 * @param age for how long they are kept
	 * @param limit how many at most
	 * @return how many were deleted
	 */
	int forgetTicks(Duration age, int limit);

	/**
	 * Forgets what no node has declared for long, of any kind. Rows that somebody has
	 * locked are left.
	 * @param age for how long
	 * @return how many were deleted
	 */
	int forgetDeclarations(Duration age);

	/**
	 * All schedules together.
	 *
	 * @param count how many there are
	 * @param paused how many are paused
	 * @param orphaned how many are declared in code, but by no node that runs
	 * @param failing how many have jobs that could not be enqueued when that was last
	 * tried
	 * @param fired how many ticks had a job
	 * @param missed how many ticks were missed
	 * @param skipped how many ticks were skipped
	 * @param overdue for how long the longest due tick has had no job
	 */
	record Summary(long count, long paused, long orphaned, long failing, long fired, long missed, long skipped,
			Duration overdue) {

		public static final Summary NONE = new Summary(0, 0, 0, 0, 0, 0, 0, Duration.ZERO);

	}

	/**
	 * What is to be looked at.
	 *
	 * @param now the database's time
	 * @param next when the next schedule is due; null if none will be
	 * @param schedules those that are due, with their states
	 */
	record Due(Instant now, @Nullable Instant next, List<StoredSchedule> schedules) {

	}

	/**
	 * What was done of some plans.
	 *
	 * @param schedules how many schedules have gone on to their next tick
	 * @param jobs the jobs that were enqueued
	 */
	record Fired(int schedules, List<EnqueuedJob> jobs) {

	}

	/**
	 * What has become of a trigger.
	 *
	 * @param id the job's id; null if an earlier job is live
	 * @param job the job; null if an earlier job is live
	 */
	record Triggered(@Nullable Long id, @Nullable EnqueuedJob job) {

	}

}
