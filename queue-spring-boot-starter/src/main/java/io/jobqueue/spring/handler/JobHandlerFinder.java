package io.jobqueue.spring.handler;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.lang.reflect.Type;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.jobqueue.DeadJobHandler;
import io.jobqueue.JobBatch;
import io.jobqueue.JobHandler;
import io.jobqueue.JobQueue;
import io.jobqueue.PayloadFormat;
import io.jobqueue.rule.HandlerDefaults;
import io.jobqueue.rule.HandlerSettings;
import io.jobqueue.rule.HandlerTypes;
import io.jobqueue.rule.MethodRules;
import io.jobqueue.rule.ParameterRules;
import io.jobqueue.rule.RefusedException;
import io.jobqueue.worker.Handler;
import io.jobqueue.worker.Handlers;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.EmbeddedValueResolver;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.MethodIntrospector.MetadataLookup;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.AnnotationUtils;

/**
 * Finds the methods marked with {@link JobHandler} on the beans of an application. Looks
 * at types only, so that no lazy bean is created: one that is declared by an interface
 * has the handlers of that interface only.
 */
public final class JobHandlerFinder implements SmartInitializingSingleton {

	private static final Logger log = LoggerFactory.getLogger(JobHandlerFinder.class);

	private static final MetadataLookup<@Nullable JobHandler> ANNOTATION = (method) -> AnnotatedElementUtils
		.findMergedAnnotation(method, JobHandler.class);

	private final ConfigurableListableBeanFactory beans;

	private final PayloadFormat payloads;

	private final HandlerDefaults defaults;

	private final Handlers handlers;

	private final BeanRules rules;

	private final DeclaredSchedules schedules;

	private final RecurringMethods recurring;

	private final EmbeddedValueResolver embeddedValues;

	/**
	 * Creates a finder.
	 * @param beans where to look
	 * @param payloads how payloads are read
	 * @param defaults what a handler has that does not say itself
	 * @param handlers where to put what is found
	 * @param schedules where to put the schedules that they declare
	 */
	public JobHandlerFinder(ConfigurableListableBeanFactory beans, PayloadFormat payloads, HandlerDefaults defaults,
			Handlers handlers, DeclaredSchedules schedules) {
		this.beans = beans;
		this.payloads = payloads;
		this.defaults = defaults;
		this.handlers = handlers;
		this.schedules = schedules;
		this.rules = new BeanRules(beans, payloads);
		this.recurring = new RecurringMethods(this::resolved);
		this.embeddedValues = new EmbeddedValueResolver(beans);
	}

	/**
	 * Finds all handlers, once all beans are there that are not lazy, so that the actual
	 * class of each is known.
	 * @throws InvalidJobHandlerException if two are for one type, or a method cannot be
	 * called
	 */
	@Override
	public void afterSingletonsInstantiated() {
		Map<String, Method> methods = new LinkedHashMap<>();
		for (String name : this.beans.getBeanNamesForType(Object.class, true, false)) {
			Class<?> type = ScopedProxyUtils.isScopedTarget(name) ? null : targetType(name);
			if (type != null) {
				refuseSchedulesWithoutHandler(name, type);
				markedMethods(type).forEach((method, annotation) -> add(name, type, method, annotation, methods));
			}
		}
	}

	private void add(String beanName, Class<?> type, Method method, JobHandler annotation,
			Map<String, Method> methods) {
		Handler handler = handler(beanName, type, method, annotation);
		Method other = methods.putIfAbsent(handler.type(), method);
		if (other != null) {
			throw new InvalidJobHandlerException(
					HandlerTypes.twice(handler.type(), other, method) + " (bean '" + beanName + "')",
					HandlerTypes.INSTEAD_OF_TWICE + " If the bean exists twice, let only one of the two be a bean.");
		}
		this.handlers.add(handler);
	}

	private @Nullable Class<?> targetType(String beanName) {
		Class<?> type = AutoProxyUtils.determineTargetClass(this.beans, beanName);
		if (type != null && Proxy.isProxyClass(type) && this.beans.containsSingleton(beanName)) {
			// A proxy that the application made itself: only the object knows what is
			// behind it.
			Object bean = this.beans.getSingleton(beanName);
			return (bean != null) ? AopUtils.getTargetClass(bean) : type;
		}
		return type;
	}

	/**
	 * Each method that declares a schedule runs its jobs too.
	 */
	private static void refuseSchedulesWithoutHandler(String beanName, Class<?> type) {
		for (Method method : RecurringMethods.in(type)) {
			try {
				MethodRules.refuseIfRecurringOnly(AnnotatedElementUtils.hasAnnotation(method, JobHandler.class));
			}
			catch (RefusedException ex) {
				throw refused("method", beanName, method, ex);
			}
		}
	}

	private Handler handler(String beanName, Class<?> targetType, Method method, JobHandler annotation) {
		try {
			boolean ofDeadJobs = AnnotatedElementUtils.hasAnnotation(method, DeadJobHandler.class);
			HandlerSettings settings = HandlerSettings.of(annotation, this::resolved);
			this.rules.check(beanName, targetType, method, settings.transactional());
			MethodRules.refuseIfBoth(isItself(method), ofDeadJobs);
			MethodRules.refuseContradictions(settings, ofDeadJobs, RecurringMethods.isMarked(method));
			Handler.Invocation invocation = settings.isBatch() ? ofChunks(beanName, targetType, method)
					: ofSingle(beanName, targetType, method, settings, ofDeadJobs);
			String jobType = HandlerTypes.of(resolved(annotation.value()), ofDeadJobs);
			if (invocation instanceof HandlerMethod single) {
				this.recurring.scheduleOf(method, jobType, single.arguments())
					.ifPresent((schedule) -> this.schedules.add(schedule, method));
			}
			return this.defaults.handler(jobType, settings, List.of(annotation.noRetryFor()), invocation);
		}
		catch (IllegalArgumentException | IllegalStateException ex) {
			throw refused("job handler", beanName, method, RefusedException.of(ex));
		}
	}

	/**
	 * Whether a method is a handler of jobs, and not by its being one of dead jobs alone.
	 */
	private static boolean isItself(Method method) {
		return MergedAnnotations.from(method)
			.stream(JobHandler.class)
			.anyMatch((handler) -> handler.getMetaSource() == null
					|| handler.getMetaSource().getType() != DeadJobHandler.class);
	}

	private static InvalidJobHandlerException refused(String what, String beanName, Method method,
			RefusedException refusal) {
		return new InvalidJobHandlerException(
				"The " + what + " " + method + " of bean '" + beanName + "' " + refusal.reason(), refusal.action());
	}

	private Handler.Invocation ofSingle(String beanName, Class<?> targetType, Method method, HandlerSettings settings,
			boolean ofDeadJobs) {
		ParameterRules.refuseForSingle(List.of(method.getParameterTypes()).contains(JobBatch.class), settings);
		HandlerArguments arguments = ofDeadJobs ? HandlerArguments.ofDeadJobs(method, targetType, this.payloads)
				: HandlerArguments.of(method, targetType, this.payloads);
		Type payload = arguments.payloadType();
		if (payload != null) {
			this.rules.checkPayload(method, payload);
		}
		HandlerMethod called = new HandlerMethod(() -> this.beans.getBean(beanName), invocable(beanName, method),
				arguments);
		return ofDeadJobs ? new DeadJobMethod(() -> this.beans.getBean(JobQueue.class), called) : called;
	}

	private Handler.Invocation ofChunks(String beanName, Class<?> targetType, Method method) {
		Type parameter = BatchMethod.parameterOf(method, targetType);
		BatchMethod called = new BatchMethod(() -> this.beans.getBean(beanName), invocable(beanName, method),
				this.payloads, parameter);
		this.rules.checkPayload(method, called.payloadType());
		return called;
	}

	/**
	 * Replaces placeholders and expressions, as Spring does in its own annotations.
	 * @throws IllegalArgumentException if a property does not exist
	 */
	private String resolved(String text) {
		String value = this.embeddedValues.resolveStringValue(text);
		return (value != null) ? value : "";
	}

	private Method invocable(String beanName, Method method) {
		Class<?> beanType = this.beans.getType(beanName, false);
		try {
			return (beanType != null) ? AopUtils.selectInvocableMethod(method, beanType) : method;
		}
		catch (IllegalStateException ex) {
			throw new InvalidJobHandlerException(
					"The job handler " + method + " of bean '" + beanName
							+ "' cannot be called: the bean is a JDK proxy, whose interfaces do not have the method",
					"Declare the method in an interface of the bean, or let Spring proxy the class "
							+ "(spring.aop.proxy-target-class=true, the default).");
		}
	}

	/**
	 * The methods of a class that are marked as handlers.
	 */
	static Map<Method, JobHandler> markedMethods(Class<?> type) {
		try {
			return AnnotationUtils.isCandidateClass(type, JobHandler.class)
					? MethodIntrospector.selectMethods(type, ANNOTATION) : Map.of();
		}
		catch (RuntimeException | LinkageError ex) {
			// A signature names a class that is not there, which is nobody's business as
			// long
			// as the method is not called.
			log.debug("The methods of {} cannot be looked at", type, ex);
			return Map.of();
		}
	}

}
