package io.jobqueue.store;

import java.time.Duration;
import java.time.Instant;

import io.jobqueue.ScheduleStatus;

import org.jspecify.annotations.Nullable;

/**
 * A schedule as it was read.
 *
 * @param id its number
 * @param name its name
 * @param definition what it says; null if that cannot be understood
 * @param written what was written in its place, for operators
 * @param hash the hash that was stored with its definition
 * @param flags what else is known of it
 * @param times when it ticks
 * @param counts what has become of its ticks
 * @param readAt the database's time when it was read
 */
public record StoredSchedule(long id, String name, @Nullable ScheduleDefinition definition, Written written,
		String hash, Flags flags, Times times, Counts counts, Instant readAt) {

	/**
	 * What it says.
	 * @throws IllegalStateException if that cannot be understood, as what another program
	 * has written
	 */
	public ScheduleDefinition understood() {
		ScheduleDefinition known = this.definition;
		if (known == null) {
			throw new IllegalStateException(
					"The schedule '" + this.name + "' cannot be understood: " + this.written.flaw());
		}
		return known;
	}

	/**
	 * Refuses what its code would undo within half a minute.
	 * @param instead what to do instead
	 * @throws IllegalStateException if a running node declares it in code
	 */
	public void refuseIfDeclaredByRunningNode(String instead) {
		if (this.flags.declared() && !this.flags.orphaned()) {
			throw new IllegalStateException(
					"The schedule '" + this.name + "' is declared in code (@Recurring) by a running node; " + instead);
		}
	}

	/**
	 * The schedule as applications see it.
	 */
	public ScheduleStatus status() {
		Instant next = this.flags.paused() ? null : this.times.next();
		Duration overdue = (next != null && next.isBefore(this.readAt) && !this.flags.orphaned())
				? Duration.between(next, this.readAt) : Duration.ZERO;
		String problem = this.written.flaw().isEmpty() ? this.counts.problem() : this.written.flaw();
		ScheduleDefinition known = this.definition;
		return new ScheduleStatus(this.name, this.written.timing(), this.written.type(), this.written.queue(),
				(known != null) ? known.missed().catchUp() : null, (known != null) ? known.overlap() : null,
				(known != null) ? known.jitter() : null, this.flags.declared(), this.flags.orphaned(),
				this.flags.paused(), next, this.times.last(),
				(this.counts.lastJobId() != 0) ? this.counts.lastJobId() : null, this.counts.fired(),
				this.counts.missed(), this.counts.skipped(), overdue, problem.isEmpty() ? null : problem);
	}

	/**
	 * What was written, for operators.
	 *
	 * @param timing when it ticks
	 * @param type the type of its jobs
	 * @param queue the queue of its jobs
	 * @param flaw why it cannot be understood; empty if it can
	 */
	public record Written(String timing, String type, String queue, String flaw) {

	}

	/**
	 * What else is known of a schedule.
	 *
	 * @param declared whether code declares it; else it was saved
	 * @param orphaned whether it is declared, but by no node that runs
	 * @param paused whether it is paused
	 */
	public record Flags(boolean declared, boolean orphaned, boolean paused) {

	}

	/**
	 * When a schedule ticks.
	 *
	 * @param next the next tick; null if there is none any more
	 * @param due when to look at it; null for never
	 * @param last the last tick that had a job; null if none had
	 */
	public record Times(@Nullable Instant next, @Nullable Instant due, @Nullable Instant last) {

	}

	/**
	 * What has become of a schedule's ticks.
	 *
	 * @param lastJobId its last job; 0 if it had none
	 * @param fired how many ticks had a job
	 * @param missed how many were missed
	 * @param skipped how many were skipped
	 * @param failures how often in a row its job could not be enqueued
	 * @param problem why it could not; empty if it could
	 */
	public record Counts(long lastJobId, long fired, long missed, long skipped, int failures, String problem) {

	}

}
