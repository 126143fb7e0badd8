package io.jobqueue.processor;

import java.lang.annotation.AnnotationTypeMismatchException;
import java.lang.annotation.IncompleteAnnotationException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

import javax.lang.model.element.AnnotationMirror;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.VariableElement;
import javax.lang.model.type.TypeMirror;

import io.jobqueue.DeadJobHandler;
import io.jobqueue.JobBatch;
import io.jobqueue.JobHandler;
import io.jobqueue.Recurring;
import io.jobqueue.processor.HandlerClass.Marked;
import io.jobqueue.rule.HandlerDefaults;
import io.jobqueue.rule.HandlerSettings;
import io.jobqueue.rule.HandlerTypes;
import io.jobqueue.rule.MethodRules;
import io.jobqueue.rule.ParameterRules;
import io.jobqueue.rule.RecurringSettings;
import io.jobqueue.rule.RefusedException;
import io.jobqueue.store.DeadJobTypes;
import org.jspecify.annotations.Nullable;

/**
 * Refuses what start-up would refuse, by the same rules, as far as the source of one
 * class decides it. Where start-up tells the first mistake of a method, each rule tells
 * its own here.
 */
final class HandlerChecks {

	/** Stands for an expression that nobody knows yet. */
	private static final String ANY_CRON = "@daily";

	private final Model model;

	private final Report report;

	private final BeanChecks beans;

	HandlerChecks(Model model, Report report) {
		this.model = model;
		this.report = report;
		this.beans = new BeanChecks(model);
	}

	/**
	 * Checks the methods of a class.
	 * @return its handlers, but for those whose parameters are refused
	 */
	List<CheckedHandler> check(HandlerClass type) {
		List<CheckedHandler> handlers = new ArrayList<>();
		Map<String, ExecutableElement> byType = new HashMap<>();
		for (Marked marked : type.methods()) {
			try {
				check(marked).ifPresent((handler) -> {
					handlers.add(handler);
					// A subclass may override one of them with another type.
					if (!type.type().getModifiers().contains(Modifier.ABSTRACT)) {
						refuseIfSecond(handler, byType);
					}
				});
			}
			catch (AnnotationTypeMismatchException | IncompleteAnnotationException
					| EnumConstantNotPresentException ex) {
				// The compiler refuses the annotation itself.
				continue;
			}
		}
		return handlers;
	}

	private Optional<CheckedHandler> check(Marked marked) {
		ExecutableElement method = marked.method();
		if (!marked.isHandler()) {
			try {
				MethodRules.refuseIfRecurringOnly(this.beans.isHandlerByAnother(method));
			}
			catch (RefusedException ex) {
				this.report.refusedMethod(ex, method);
			}
			return Optional.empty();
		}
		boolean ofDeadJobs = marked.ofDeadJobs() != null;
		HandlerSettings settings = settings(marked);
		Optional<? extends AnnotationMirror> annotation = Model.direct(method,
				(ofDeadJobs ? DeadJobHandler.class : JobHandler.class).getName());
		check(method, () -> MethodRules.refuseIfPrivate(method.getModifiers().contains(Modifier.PRIVATE)));
		check(method, () -> MethodRules.refuseIfAsynchronous(this.beans.isAsynchronous(method)));
		boolean isBean = !Model.classWith(method).getModifiers().contains(Modifier.ABSTRACT);
		if (isBean) {
			check(method, () -> MethodRules.refuseIfOfRequest(this.beans.scopeOf(method)));
		}
		if (isBean && settings.transactional()) {
			check(method, () -> MethodRules.refuseIfOutsideItsTransaction(this.beans.propagationOf(method)));
		}
		check(method, annotation, () -> HandlerDefaults.check(settings));
		String type = typeOf(marked);
		if (!Texts.isProperty(type)) {
			check(method, annotation, () -> HandlerTypes.of(type, ofDeadJobs));
		}
		Payload payload = payload(marked, settings);
		if (payload == null) {
			return Optional.empty();
		}
		if (marked.recurring() != null) {
			checkSchedule(method, marked.recurring(), payload, type);
		}
		return Optional.of(new CheckedHandler(method, type, ofDeadJobs, payload));
	}

	private static HandlerSettings settings(Marked marked) {
		DeadJobHandler ofDeadJobs = marked.ofDeadJobs();
		JobHandler handler = marked.handler();
		return (ofDeadJobs != null) ? HandlerSettings.of(ofDeadJobs, Texts::known)
				: HandlerSettings.of(Objects.requireNonNull(handler), Texts::known);
	}

	private static String typeOf(Marked marked) {
		DeadJobHandler ofDeadJobs = marked.ofDeadJobs();
		JobHandler handler = marked.handler();
		return (ofDeadJobs != null) ? ofDeadJobs.value() : Objects.requireNonNull(handler).value();
	}

	private @Nullable Payload payload(Marked marked, HandlerSettings settings) {
		ExecutableElement method = marked.method();
		boolean ofDeadJobs = marked.ofDeadJobs() != null;
		try {
			MethodRules.refuseIfBoth(marked.handler() != null, ofDeadJobs);
			MethodRules.refuseContradictions(settings, ofDeadJobs, marked.recurring() != null);
			if (!settings.isBatch()) {
				ParameterRules.refuseForSingle(takesBatch(method), settings);
			}
			Payload payload = settings.isBatch() ? Payload.ofChunk(method, this.model)
					: Payload.ofSingle(method, ofDeadJobs, this.model);
			TypeMirror type = payload.type();
			VariableElement parameter = payload.parameter();
			if (type != null && parameter != null && payload.isDecided()) {
				check(parameter, () -> ParameterRules.refuseIfOfAnotherWorld(this.model.classOf(type)));
			}
			return payload;
		}
		catch (IllegalArgumentException ex) {
			this.report.refused(RefusedException.of(ex), method);
			return null;
		}
	}

	private boolean takesBatch(ExecutableElement method) {
		return method.getParameters()
			.stream()
			.map(VariableElement::asType)
			.anyMatch((type) -> this.model.classOf(type).equals(JobBatch.class.getName()));
	}

	private void checkSchedule(ExecutableElement method, Recurring recurring, Payload payload, String type) {
		if (payload.isDecided()) {
			check(method, () -> ParameterRules.refusePayloadIfRecurring(payload.kinds()));
		}
		if (Texts.isProperty(recurring.cron())) {
			// It may become "-": then there is no schedule, whatever else is said.
			return;
		}
		RecurringSettings known = RecurringSettings.of(recurring, Texts::known);
		RecurringSettings settings = (Texts.isProperty(recurring.every()) && known.cron().isEmpty())
				? known.withCron(ANY_CRON) : known;
		check(method, Model.direct(method, Recurring.class.getName()),
				() -> settings.schedule(isValid(type) ? type : "any"));
	}

	/** A type that is none was told of already. */
	private static boolean isValid(String type) {
		try {
			HandlerTypes.of(type, false);
			return true;
		}
		catch (IllegalArgumentException ex) {
			return false;
		}
	}

	private void refuseIfSecond(CheckedHandler handler, Map<String, ExecutableElement> byType) {
		String type = handler.ofDeadJobs() ? DeadJobTypes.telling(handler.type()) : handler.type();
		ExecutableElement other = handler.isTypeOfProperty() ? null : byType.putIfAbsent(type, handler.method());
		if (other != null) {
			this.report.error(HandlerTypes.twice(type, other, handler.method()) + ". " + HandlerTypes.INSTEAD_OF_TWICE,
					handler.method());
		}
	}

	private void check(ExecutableElement method, Runnable rule) {
		check(method, Optional.empty(), rule);
	}

	private void check(VariableElement parameter, Runnable rule) {
		try {
			rule.run();
		}
		catch (IllegalArgumentException ex) {
			this.report.refused(RefusedException.of(ex), parameter);
		}
	}

	private void check(ExecutableElement method, Optional<? extends AnnotationMirror> annotation, Runnable rule) {
		try {
			rule.run();
		}
		catch (IllegalArgumentException | IllegalStateException ex) {
			this.report.refused(RefusedException.of(ex), method, annotation);
		}
	}

}
