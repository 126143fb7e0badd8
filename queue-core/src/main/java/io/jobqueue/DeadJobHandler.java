package io.jobqueue;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.aot.hint.annotation.Reflective;
import org.springframework.core.annotation.AliasFor;

/**
 * Marks a method of a Spring bean as what is to happen when a job of a type becomes dead:
 * tell somebody, undo something. It is called by a job of its own, which is enqueued in
 * the transaction that makes the other one dead: so there is exactly one for each death,
 * also for jobs that kill their workers. A job that is redriven and becomes dead again
 * has a second one.
 * <p>
 * The method may have the parameters of a {@link JobHandler}, where the payload is that
 * of the dead job, and one of type {@link Job}: the dead job as it stands in the
 * database, with its last error. It may be ready again by then, if somebody has redriven
 * it. {@link JobContext} is what belongs to the call itself. A job may be dead because
 * its payload is missing or cannot be read. Then the call of a method with a parameter
 * for it fails for good, unless that is an {@link java.util.Optional}, which is empty.
 * <p>
 * The call's job has the type {@code jobqueue.dead.} and the type of the dead job, and
 * the queue and the priority of that: a worker with the method has to serve that queue.
 * It is retried as other jobs are; if it becomes dead, nothing follows.
 * <p>
 * Which types have such a method is written down when a worker starts, so that workers
 * without it call it too. It stays written down when the method is removed; see
 * docs/guides/using.md for how to end that.
 */
@Documented
@Reflective
@JobHandler("")
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface DeadJobHandler {

	/**
	 * The type of the dead jobs, of at most 50 characters, or <code>*</code> for all
	 * types that have no such handler of their own. May be a property, as
	 * <code>${my.type}</code>.
	 * @return the type
	 */
	@AliasFor(annotation = JobHandler.class, attribute = "value")
	String value();

	/**
	 * How many attempts the call has, the first included.
	 * @return at least 1, or 0 for {@code jobqueue.retry.max-attempts} (10)
	 */
	@AliasFor(annotation = JobHandler.class, attribute = "maxAttempts")
	int maxAttempts() default 0;

	/**
	 * How long a failed call waits before its next attempt.
	 * @return the backoff
	 */
	@AliasFor(annotation = JobHandler.class, attribute = "backoff")
	Backoff backoff() default @Backoff;

	/**
	 * How long an attempt may run before it is interrupted and counts as failed.
	 * @return a duration, {@code "0"} for no limit, or empty for {@code jobqueue.timeout}
	 * (1 h)
	 */
	@AliasFor(annotation = JobHandler.class, attribute = "timeout")
	String timeout() default "";

	/**
	 * Whether the method runs inside a transaction on the queue's DataSource, with the
	 * completion of its call as the last statement.
	 * @return true for exactly-once effects in the database
	 */
	@AliasFor(annotation = JobHandler.class, attribute = "transactional")
	boolean transactional() default false;

	/**
	 * Exceptions, their subclasses included, after which the call is dead at once.
	 * @return the exception classes
	 */
	@AliasFor(annotation = JobHandler.class, attribute = "noRetryFor")
	Class<? extends Throwable>[] noRetryFor() default {};

}
