package io.jobqueue.spring.handler;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import io.jobqueue.Recurring;
import io.jobqueue.rule.ParameterRules;
import io.jobqueue.rule.RecurringSettings;
import io.jobqueue.store.ScheduleDefinition;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Reads what {@link Recurring} says at a method.
 */
final class RecurringMethods {

	private static final Logger log = LoggerFactory.getLogger(RecurringMethods.class);

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
		ParameterRules.refusePayloadIfRecurring(arguments.parameters());
		return RecurringSettings.of(annotation, this.resolved).schedule(type);
	}

}
