package io.jobqueue;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * A schedule as it stands in the database. All times are the database's.
 *
 * @param name its name
 * @param timing when it ticks, in words: {@code cron 0 0 2 * * * in Europe/Berlin} or
 * {@code every PT10M}
 * @param type the type of its jobs
 * @param queue the queue of its jobs
 * @param catchUp what becomes of ticks that were missed; null if what is stored cannot be
 * understood, as the next two
 * @param overlap what becomes of a tick while an earlier job is live
 * @param jitter by how much the start of its jobs is spread; zero for not at all
 * @param declared whether it is declared in code, by {@link Recurring}; else it was saved
 * @param orphaned whether it is declared in code, but by no node that runs. It does not
 * tick then
 * @param paused whether it is paused
 * @param next the next tick, also one that is due and has no job yet; null if it is
 * paused, or never ticks again
 * @param last the last tick that had a job; null if none had
 * @param lastJobId the id of the last job, also of one that was triggered; null if there
 * was none
 * @param fired how many ticks had a job
 * @param missed how many ticks were missed, and not caught up; more than 10,000 at once
 * count as 10,000
 * @param skipped how many ticks were skipped because an earlier job was live
 * @param overdue for how long its next tick has been due; zero if it is not
 * @param problem why its job could not be enqueued when that was last tried; null if it
 * could
 */
public record ScheduleStatus(String name, String timing, String type, String queue, @Nullable CatchUp catchUp,
		@Nullable Overlap overlap, @Nullable Duration jitter, boolean declared, boolean orphaned, boolean paused,
		@Nullable Instant next, @Nullable Instant last, @Nullable Long lastJobId, long fired, long missed, long skipped,
		Duration overdue, @Nullable String problem) {

}
