package io.jobqueue;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Declares a schedule for the jobs of a {@link JobHandler} method: a job of its type is
 * enqueued at each tick, once in all, however many nodes there are. The method takes no
 * payload, or an {@code Optional} one, which is empty.
 * <p>
 * The schedule is stored when a worker starts. A changed definition moves the next tick,
 * an unchanged one does not. If nodes with different definitions run at once, as during a
 * deploy, the newer one holds: the one with the higher
 * {@code jobqueue.schedules.revision} or, if that is equal, the one that was first seen
 * later. A schedule that no running node declares does not tick; it stays, with what was
 * counted, until it is {@linkplain Schedules#remove removed}.
 * <p>
 * All texts may be properties, as <code>${my.cron}</code>.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ ElementType.METHOD, ElementType.ANNOTATION_TYPE })
public @interface Recurring {

	/**
	 * When it ticks, as six fields: second, minute, hour, day of month, month, day of
	 * week. See {@link Schedule#cron}. Either this or {@link #every()}; {@code "-"}
	 * stands for never: then there is no schedule.
	 * @return the expression
	 */
	String cron() default "";

	/**
	 * The time between two ticks, such as {@code 10m}, at least a second. See
	 * {@link Schedule#every}. Either this or {@link #cron()}.
	 * @return the interval
	 */
	String every() default "";

	/**
	 * The time zone in which {@link #cron()} is read, such as {@code Europe/Berlin}.
	 * @return the zone; UTC if it is empty, whatever the JVM's is
	 */
	String zone() default "";

	/**
	 * The schedule's name.
	 * @return the name; the type of the jobs if it is empty
	 */
	String name() default "";

	/**
	 * The queue of its jobs.
	 * @return the queue; {@code default} if it is empty
	 */
	String queue() default "";

	/**
	 * What becomes of ticks that were missed while no node was there.
	 * @return the choice
	 */
	CatchUp catchUp() default CatchUp.ONCE;

	/**
	 * How many missed ticks have jobs, for {@link CatchUp#ALL} only.
	 * @return from 1 to 1,000
	 */
	int catchUpLimit() default 100;

	/**
	 * What becomes of a tick while the job of an earlier one is live. A job that waits
	 * for its next attempt is live.
	 * @return the choice; {@link CatchUp#ALL} needs {@link Overlap#ALLOW}
	 */
	Overlap overlap() default Overlap.SKIP;

	/**
	 * By how much the start of jobs is spread, such as {@code 30s}.
	 * @return the jitter; none if it is empty
	 */
	String jitter() default "";

}
