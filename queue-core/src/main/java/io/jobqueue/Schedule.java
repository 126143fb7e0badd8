package io.jobqueue;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;

import io.jobqueue.text.Durations;

import org.jspecify.annotations.Nullable;

import org.springframework.scheduling.support.CronExpression;

/**
 * When jobs are to be enqueued again and again, and which: the definition of a recurring
 * job. Immutable: every method returns a copy that differs in one point. See
 * {@link Schedules} for what is done with it, and {@link Recurring} for the way to
 * declare one in code.
 */
public final class Schedule {

	/** How many missed ticks are caught up at most, whatever is asked for. */
	public static final int MAX_CATCH_UP = 1_000;

	private static final Duration LEAST_INTERVAL = Duration.ofSeconds(1);

	private static final Duration LONGEST = Duration.ofDays(36500);

	private static final int LONGEST_CRON = 255;

	private final String name;

	private final @Nullable String cron;

	private final @Nullable Duration interval;

	private ZoneId zone = ZoneOffset.UTC;

	private NewJob job;

	private CatchUp catchUp = CatchUp.ONCE;

	private int catchUpLimit = 1;

	private Overlap overlap = Overlap.SKIP;

	private Duration jitter = Duration.ZERO;

	private Schedule(String name, @Nullable String cron, @Nullable Duration interval) {
		this.name = JobNames.checked("name", name);
		this.cron = cron;
		this.interval = interval;
		this.job = NewJob.of(name);
	}

	private Schedule(Schedule other) {
		this.name = other.name;
		this.cron = other.cron;
		this.interval = other.interval;
		this.zone = other.zone;
		this.job = other.job;
		this.catchUp = other.catchUp;
		this.catchUpLimit = other.catchUpLimit;
		this.overlap = other.overlap;
		this.jitter = other.jitter;
	}

	/**
	 * A schedule by a cron expression.
	 * @param name its name, matching {@code [A-Za-z0-9._-]{1,64}}; also the type of its
	 * jobs, until {@link #job} says otherwise
	 * @param expression six fields as in Spring's {@link CronExpression#parse(String)}:
	 * second, minute, hour, day of month, month, day of week; or a macro such as
	 * {@code @daily}
	 * @return the schedule, in the zone UTC
	 * @throws IllegalArgumentException if the name or the expression is not valid, or the
	 * expression never fires
	 */
	public static Schedule cron(String name, String expression) {
		if (expression == null || expression.length() > LONGEST_CRON) {
			throw new IllegalArgumentException("cron must have at most " + LONGEST_CRON + " characters, but is "
					+ ((expression != null) ? expression.length() + " characters long" : "null"));
		}
		CronExpression parsed;
		try {
			parsed = CronExpression.parse(expression);
		}
		catch (IllegalArgumentException ex) {
			throw new IllegalArgumentException("cron '" + expression + "' is not valid: " + ex.getMessage(), ex);
		}
		if (parsed.next(ZonedDateTime.ofInstant(Instant.EPOCH, ZoneOffset.UTC)) == null) {
			throw new IllegalArgumentException("cron '" + expression + "' never fires");
		}
		return new Schedule(name, expression, null);
	}

	/**
	 * A schedule with a fixed time between its ticks. The first tick comes that time
	 * after the schedule was stored.
	 * @param name its name, matching {@code [A-Za-z0-9._-]{1,64}}; also the type of its
	 * jobs, until {@link #job} says otherwise
	 * @param interval at least a second, at most 100 years; cut to milliseconds
	 * @return the schedule
	 * @throws IllegalArgumentException if one of both is not valid
	 */
	public static Schedule every(String name, Duration interval) {
		return new Schedule(name, null, checked("every", interval, LEAST_INTERVAL));
	}

	/**
	 * Chooses the time zone in which a cron expression is read; the default is UTC,
	 * whatever the JVM's is. For a fixed interval it has no meaning.
	 * @param zone the zone
	 * @return a copy in that zone
	 */
	public Schedule zone(ZoneId zone) {
		Schedule copy = new Schedule(this);
		copy.zone = required("zone", zone);
		return copy;
	}

	/**
	 * Chooses what is enqueued at each tick; the default is a job without payload whose
	 * type is the schedule's name.
	 * @param job the job. A delay, a time, a unique key and an order key make no sense
	 * here
	 * @return a copy with that job
	 * @throws IllegalArgumentException if the job has one of these
	 */
	public Schedule job(NewJob job) {
		required("job", job);
		if (!job.delay().isZero() || job.availableAt() != null || job.uniqueKey() != null || job.orderKey() != null
				|| job.limitKey() != null) {
			throw new IllegalArgumentException("The job of the schedule '" + this.name
					+ "' must have no delay, no availableAt and no key: the schedule says when, and each tick has one job "
					+ "anyway");
		}
		Schedule copy = new Schedule(this);
		copy.job = job;
		return copy;
	}

	/**
	 * Chooses what becomes of missed ticks; the default is {@link CatchUp#ONCE}.
	 * @param catchUp ONCE or SKIP
	 * @return a copy with that choice
	 * @throws IllegalArgumentException if it is ALL, which needs a limit
	 */
	public Schedule catchUp(CatchUp catchUp) {
		if (required("catchUp", catchUp) == CatchUp.ALL) {
			throw new IllegalArgumentException("catchUp ALL needs a limit: use catchUpAll(limit)");
		}
		Schedule copy = new Schedule(this);
		copy.catchUp = catchUp;
		copy.catchUpLimit = 1;
		return copy;
	}

	/**
	 * Lets each missed tick have its job, {@link CatchUp#ALL}. Needs
	 * {@link Overlap#ALLOW}.
	 * @param limit how many at most, the latest ones; from 1 to {@value #MAX_CATCH_UP}
	 * @return a copy with that choice
	 * @throws IllegalArgumentException if the limit is out of range
	 */
	public Schedule catchUpAll(int limit) {
		if (limit < 1 || limit > MAX_CATCH_UP) {
			throw new IllegalArgumentException(
					"the limit of catchUp ALL must be from 1 to " + MAX_CATCH_UP + ", but is " + limit);
		}
		Schedule copy = new Schedule(this);
		copy.catchUp = CatchUp.ALL;
		copy.catchUpLimit = limit;
		return copy;
	}

	/**
	 * Chooses what becomes of a tick while the job of an earlier one is live; the default
	 * is {@link Overlap#SKIP}.
	 * @param overlap the choice
	 * @return a copy with that choice
	 */
	public Schedule overlap(Overlap overlap) {
		Schedule copy = new Schedule(this);
		copy.overlap = required("overlap", overlap);
		return copy;
	}

	/**
	 * Spreads the start of jobs, such that schedules of the same time do not all start at
	 * once: each job is available up to this long after its tick. By how much depends on
	 * the name and the tick alone.
	 * @param jitter not negative, at most 100 years; cut to milliseconds
	 * @return a copy with that jitter
	 * @throws IllegalArgumentException if it is out of range
	 */
	public Schedule jitter(Duration jitter) {
		Schedule copy = new Schedule(this);
		copy.jitter = checked("jitter", jitter, Duration.ZERO);
		return copy;
	}

	private static Duration checked(String what, Duration value, Duration least) {
		if (value == null || value.compareTo(least) < 0 || value.compareTo(LONGEST) > 0) {
			throw new IllegalArgumentException(what + " must be from " + Durations.text(least) + " to "
					+ Durations.text(LONGEST) + ", but is " + ((value != null) ? Durations.text(value) : "null"));
		}
		return Duration.ofMillis(value.toMillis());
	}

	private static <T> T required(String what, @Nullable T value) {
		if (value == null) {
			throw new IllegalArgumentException(what + " must not be null");
		}
		return value;
	}

	/**
	 * The schedule's name.
	 * @return the name
	 */
	public String name() {
		return this.name;
	}

	/**
	 * The cron expression.
	 * @return the expression, or null if it has a fixed interval
	 */
	public @Nullable String cron() {
		return this.cron;
	}

	/**
	 * The time between two ticks.
	 * @return the interval, or null if it has a cron expression
	 */
	public @Nullable Duration interval() {
		return this.interval;
	}

	/**
	 * The time zone of the cron expression.
	 * @return the zone
	 */
	public ZoneId zone() {
		return this.zone;
	}

	/**
	 * What is enqueued at each tick.
	 * @return the job
	 */
	public NewJob job() {
		return this.job;
	}

	/**
	 * What becomes of missed ticks.
	 * @return the choice
	 */
	public CatchUp catchUp() {
		return this.catchUp;
	}

	/**
	 * How many missed ticks have jobs.
	 * @return from 1 to {@value #MAX_CATCH_UP}; 1 unless the choice is ALL
	 */
	public int catchUpLimit() {
		return this.catchUpLimit;
	}

	/**
	 * What becomes of a tick while the job of an earlier one is live.
	 * @return the choice
	 */
	public Overlap overlap() {
		return this.overlap;
	}

	/**
	 * By how much the start of jobs is spread.
	 * @return the jitter; zero for none
	 */
	public Duration jitter() {
		return this.jitter;
	}

	@Override
	public String toString() {
		return "Schedule[name=" + this.name + ", "
				+ ((this.cron != null) ? "cron=" + this.cron + " in " + this.zone : "every=" + this.interval) + ", job="
				+ this.job + "]";
	}

}
