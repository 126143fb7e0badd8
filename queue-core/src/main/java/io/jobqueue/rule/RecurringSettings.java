package io.jobqueue.rule;

import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.Optional;
import java.util.function.UnaryOperator;

import io.jobqueue.CatchUp;
import io.jobqueue.NewJob;
import io.jobqueue.Overlap;
import io.jobqueue.Recurring;
import io.jobqueue.Schedule;
import io.jobqueue.store.ScheduleDefinition;
import io.jobqueue.text.Durations;

import org.springframework.util.StringUtils;

/**
 * What {@link Recurring} says at a method, with its placeholders replaced. An empty text
 * stands for the default.
 *
 * @param cron when it ticks
 * @param every the time between two ticks
 * @param zone the time zone of the expression
 * @param name the schedule's name
 * @param queue the queue of its jobs
 * @param catchUp what becomes of missed ticks
 * @param catchUpLimit how many of them have jobs
 * @param overlap what becomes of a tick while an earlier job is live
 * @param jitter by how much the start of jobs is spread
 */
public record RecurringSettings(String cron, String every, String zone, String name, String queue, CatchUp catchUp,
		int catchUpLimit, Overlap overlap, String jitter) {

	/** As for Spring's own annotation. */
	private static final String NEVER = "-";

	/**
	 * What an annotation says.
	 * @param annotation the annotation
	 * @param resolved replaces placeholders
	 */
	public static RecurringSettings of(Recurring annotation, UnaryOperator<String> resolved) {
		return new RecurringSettings(resolved.apply(annotation.cron()), resolved.apply(annotation.every()),
				resolved.apply(annotation.zone()), resolved.apply(annotation.name()),
				resolved.apply(annotation.queue()), annotation.catchUp(), annotation.catchUpLimit(),
				annotation.overlap(), resolved.apply(annotation.jitter()));
	}

	/**
	 * The same with another expression.
	 */
	public RecurringSettings withCron(String expression) {
		return new RecurringSettings(expression, this.every, this.zone, this.name, this.queue, this.catchUp,
				this.catchUpLimit, this.overlap, this.jitter);
	}

	/**
	 * The schedule.
	 * @param type the type of its jobs
	 * @return the schedule; empty if it never ticks
	 * @throws IllegalArgumentException if it is not valid
	 */
	public Optional<ScheduleDefinition> schedule(String type) {
		boolean hasCron = StringUtils.hasText(this.cron);
		if (hasCron == StringUtils.hasText(this.every)) {
			throw new IllegalArgumentException("@Recurring needs either cron or every, "
					+ (hasCron ? "but has both: cron " + this.cron + " and every " + this.every : "but has neither"));
		}
		return this.cron.equals(NEVER) ? Optional.empty()
				: Optional.of(ScheduleDefinition.withoutPayload(definition(type)));
	}

	private Schedule definition(String type) {
		String ownName = StringUtils.hasText(this.name) ? this.name : type;
		NewJob job = StringUtils.hasText(this.queue) ? NewJob.of(type).queue(this.queue) : NewJob.of(type);
		Schedule schedule = StringUtils.hasText(this.cron) ? Schedule.cron(ownName, this.cron)
				: Schedule.every(ownName, Durations.parse("every", this.every));
		if (StringUtils.hasText(this.zone)) {
			schedule = schedule.zone(zone(this.zone));
		}
		schedule = (this.catchUp == CatchUp.ALL) ? schedule.catchUpAll(this.catchUpLimit)
				: schedule.catchUp(this.catchUp);
		if (StringUtils.hasText(this.jitter)) {
			schedule = schedule.jitter(Durations.parse("jitter", this.jitter));
		}
		return schedule.overlap(this.overlap).job(job);
	}

	private static ZoneId zone(String text) {
		try {
			return ZoneId.of(text);
		}
		catch (DateTimeException ex) {
			throw new IllegalArgumentException("zone '" + text + "' does not exist; use one such as Europe/Berlin");
		}
	}

}
