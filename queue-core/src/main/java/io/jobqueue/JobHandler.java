package io.jobqueue;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.aot.hint.annotation.Reflective;

/**
 * Marks a method of a Spring bean as the handler of one job type. Method and class may be
 * package-private. The method may have one parameter for the payload, which is read from
 * JSON into the parameter's type, and one of type {@link JobContext}; either may be left
 * out. An {@code Optional} payload is empty if the job has none.
 * <p>
 * A handler that returns has succeeded; one that throws is retried, except after
 * {@link PermanentJobException}, or an exception listed in {@link #noRetryFor()}.
 * {@link RetryLaterException} chooses the delay of the retry. Handlers run at least once;
 * see {@link #transactional()} for exactly-once effects in the database.
 * <p>
 * The application does not start if such a method is private, is final on a proxied bean,
 * is {@code @Async}, returns a future or a publisher, has other parameters, or belongs to
 * a bean of a request or session; nor if a transactional one leaves its transaction by
 * Spring's {@code @Transactional}.
 */
@Documented
@Reflective
@Retention(RetentionPolicy.RUNTIME)
@Target({ ElementType.METHOD, ElementType.ANNOTATION_TYPE })
public @interface JobHandler {

	/**
	 * The job type: a stable string of letters, digits, dot, underscore and hyphen, at
	 * most 64 characters. It outlives renamed classes and methods. May be a property, as
	 * <code>${my.type}</code>.
	 * @return the type
	 */
	String value();

	/**
	 * How many attempts a job has, the first included, unless the job says otherwise.
	 * @return at least 1, or 0 for {@code jobqueue.retry.max-attempts} (10)
	 */
	int maxAttempts() default 0;

	/**
	 * How long a failed job waits before its next attempt.
	 * @return the backoff
	 */
	Backoff backoff() default @Backoff;

	/**
	 * How long an attempt may run before it is interrupted and counts as failed, unless
	 * the job says otherwise. Written as in Spring Boot's properties; may be one, as
	 * <code>${my.timeout:2m}</code>.
	 * @return a duration, {@code "0"} for no limit, or empty for {@code jobqueue.timeout}
	 * (1 h)
	 */
	String timeout() default "";

	/**
	 * Whether the handler runs inside a transaction on the queue's DataSource, with the
	 * job's completion as its last statement: what the handler writes there then happens
	 * exactly once.
	 * @return true for exactly-once effects in the database
	 */
	boolean transactional() default false;

	/**
	 * How many jobs the handler gets in one call at most. With more than one it is a
	 * <em>batch handler</em>: instead of a payload it takes a {@code List} of payloads or
	 * a {@link JobBatch}, and the jobs of a call are its <em>chunk</em>.
	 * <p>
	 * Each job of a chunk keeps its attempts, its timeout and its cancel. Where a chunk
	 * fails as a whole it is split in two and run again, until the job stands alone with
	 * which it fails: the attempt of that job has failed, and those of the others go on.
	 * So a batch handler may see a job several times in one attempt.
	 * @return at least 1
	 */
	int batchSize() default 1;

	/**
	 * How long the first job of a chunk waits for others, where there are fewer than
	 * {@link #batchSize()}. Written as {@link #timeout()}.
	 * @return a duration of at most a second; {@code "0"} to take those that are there
	 */
	String batchWait() default "0";

	/**
	 * Exceptions, their subclasses included, after which a job is dead at once. Causes
	 * are not looked at.
	 * @return the exception classes
	 */
	Class<? extends Throwable>[] noRetryFor() default {};

	/**
	 * What the death of a job means for the later jobs of its
	 * {@linkplain NewJob#orderKey(String) order key}. Holds for nodes without this
	 * handler too.
	 * @return what becomes of them
	 */
	OnDead onDead() default OnDead.CONTINUE;

	/**
	 * The {@linkplain Limit limit} of this type's jobs: how many of them may run at once
	 * on all nodes together, and how many may start in a time. Several types may have the
	 * same. May be a property, as <code>${my.limit}</code>.
	 * @return the limit's name, which {@code jobqueue.limits} must have; empty for none
	 */
	String limit() default "";

}
