package io.jobqueue.spring.handler;

import java.lang.reflect.Method;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import io.jobqueue.CatchUp;
import io.jobqueue.NewJob;
import io.jobqueue.Recurring;
import io.jobqueue.Schedule;
import io.jobqueue.store.ScheduleDefinition;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringUtils;

/**
 * Reads what {@link Recurring} says at a method.
 */
final class RecurringMethods {

	private static final Logger log = LoggerFactory.getLogger(RecurringMethods.class);

	/** As for Spring's own annotation. */
	private static final String NEVER = "-";

	private final UnaryOperator<String> resolved;

	/**
	 * Creates a reader.
	 * @param resolved replaces placeholders
	 */
	RecurringMethods(UnaryOperator<String> resolved) {
		this.resolved = resolved;
	}

	/**
	 * The methods of a class that are marked.
	 */
	static List<Method> in(Class<?> type) {
		if (!AnnotationUtils.isCandidateClass(type, Recurring.class)) {
			return List.of();
		}
		try {
			return Stream.of(ReflectionUtils.getUniqueDeclaredMethods(type))
				.filter(RecurringMethods::isMarked)
				.toList();
		}
		catch (RuntimeException | LinkageError ex) {
			// A signature names a class that is not there; the handlers are not looked
			// for
			// either.
			log.debug("The methods of {} cannot be looked at", type, ex);
			return List.of();
		}
	}

	static boolean isMarked(Method method) {
		return AnnotatedElementUtils.hasAnnotation(method, Recurring.class);
	}

	/**
	 * Reads the schedule of a handler's method.
	 * @param method the method
	 * @param type the type of its jobs
	 * @param arguments what it is called with
	 * @return the schedule; empty if the method has none, or one that never ticks
	 * @throws IllegalArgumentException if it is not valid
	 */
	Optional<ScheduleDefinition> scheduleOf(Method method, String type, HandlerArguments arguments) {
		Recurring annotation = AnnotatedElementUtils.findMergedAnnotation(method, Recurring.class);
		if (annotation == null) {
			return Optional.empty();
		}
		if (arguments.needPayload()) {
			throw new IllegalArgumentException("it is @Recurring, so its jobs have no payload, but it has a parameter "
					+ "for one; leave that out, make it an Optional, or save the schedule with its payload through "
					+ "the Schedules bean");
		}
		String cron = this.resolved.apply(annotation.cron());
		String every = this.resolved.apply(annotation.every());
		if (StringUtils.hasText(cron) == StringUtils.hasText(every)) {
			throw new IllegalArgumentException("@Recurring needs either cron or every, " + (StringUtils.hasText(cron)
					? "but has both: cron " + cron + " and every " + every : "but has neither"));
		}
		return cron.equals(NEVER) ? Optional.empty()
				: Optional.of(ScheduleDefinition.withoutPayload(schedule(annotation, type, cron, every)));
	}

	private Schedule schedule(Recurring annotation, String type, String cron, String every) {
		String ownName = this.resolved.apply(annotation.name());
		String name = StringUtils.hasText(ownName) ? ownName : type;
		String queue = this.resolved.apply(annotation.queue());
		NewJob job = StringUtils.hasText(queue) ? NewJob.of(type).queue(queue) : NewJob.of(type);
		Schedule schedule = StringUtils.hasText(cron) ? Schedule.cron(name, cron)
				: Schedule.every(name, duration("every", every));
		String zone = this.resolved.apply(annotation.zone());
		if (StringUtils.hasText(zone)) {
			schedule = schedule.zone(zone(zone));
		}
		schedule = (annotation.catchUp() == CatchUp.ALL) ? schedule.catchUpAll(annotation.catchUpLimit())
				: schedule.catchUp(annotation.catchUp());
		String jitter = this.resolved.apply(annotation.jitter());
		if (StringUtils.hasText(jitter)) {
			schedule = schedule.jitter(duration("jitter", jitter));
		}
		return schedule.overlap(annotation.overlap()).job(job);
	}

	private static ZoneId zone(String text) {
		try {
			return ZoneId.of(text);
		}
		catch (DateTimeException ex) {
			throw new IllegalArgumentException("zone '" + text + "' does not exist; use one such as Europe/Berlin");
		}
	}

	private static Duration duration(String attribute, String text) {
		try {
			return DurationStyle.detectAndParse(text);
		}
		catch (IllegalArgumentException ex) {
			throw new IllegalArgumentException(
					attribute + " must be a duration as 30s, 5m or 1h, but is '" + text + "'");
		}
	}

}
