package io.jobqueue.spring.handler;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;

import io.jobqueue.JobHandler;
import io.jobqueue.NewJob;
import io.jobqueue.PayloadFormat;
import io.jobqueue.worker.Handler;
import io.jobqueue.worker.Handlers;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.SpringProxy;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.MethodIntrospector.MetadataLookup;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.scheduling.annotation.Async;

/**
 * Finds the methods marked with {@link JobHandler} on the beans of an application. Looks
 * at types only, so that no lazy bean is created: one that is declared by an interface
 * has the handlers of that interface only.
 */
public final class JobHandlerFinder implements SmartInitializingSingleton {

	private static final MetadataLookup<@Nullable JobHandler> ANNOTATION = (method) -> AnnotatedElementUtils
		.findMergedAnnotation(method, JobHandler.class);

	private final ConfigurableListableBeanFactory beans;

	private final PayloadFormat payloads;

	private final HandlerDefaults defaults;

	private final Handlers handlers;

	/**
	 * Creates a finder.
	 * @param beans where to look
	 * @param payloads how payloads are read
	 * @param defaults what a handler has that does not say itself
	 * @param handlers where to put what is found
	 */
	public JobHandlerFinder(ConfigurableListableBeanFactory beans, PayloadFormat payloads, HandlerDefaults defaults,
			Handlers handlers) {
		this.beans = beans;
		this.payloads = payloads;
		this.defaults = defaults;
		this.handlers = handlers;
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
			if (type != null && AnnotationUtils.isCandidateClass(type, JobHandler.class)) {
				MethodIntrospector.selectMethods(type, ANNOTATION)
					.forEach((method, annotation) -> add(name, type, method, annotation, methods));
			}
		}
	}

	private void add(String beanName, Class<?> type, Method method, JobHandler annotation,
			Map<String, Method> methods) {
		Method other = methods.putIfAbsent(annotation.value(), method);
		if (other != null) {
			throw new InvalidJobHandlerException(
					"Two methods are handlers of the job type '" + annotation.value() + "': " + other + " and " + method
							+ " (bean '" + beanName + "')",
					"Remove one of them, or give it another type. If the bean exists twice, let only one of the two be "
							+ "a bean.");
		}
		this.handlers.add(handler(beanName, type, method, annotation));
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

	private Handler handler(String beanName, Class<?> targetType, Method method, JobHandler annotation) {
		try {
			NewJob.of(annotation.value());
			return this.defaults.handler(annotation, new HandlerMethod(() -> this.beans.getBean(beanName),
					invocable(beanName, method), targetType, this.payloads));
		}
		catch (IllegalArgumentException | IllegalStateException ex) {
			throw new InvalidJobHandlerException(
					"The job handler " + method + " of bean '" + beanName + "' is not valid: " + ex.getMessage(),
					"Correct its @JobHandler annotation.");
		}
	}

	private Method invocable(String beanName, Method method) {
		Class<?> beanType = this.beans.getType(beanName, false);
		if (Modifier.isPrivate(method.getModifiers())) {
			throw new InvalidJobHandlerException("The job handler " + method + " of bean '" + beanName + "' is private",
					"Make it package-private or public; the class may stay package-private.");
		}
		if (beanType != null && SpringProxy.class.isAssignableFrom(beanType)
				&& Modifier.isFinal(method.getModifiers())) {
			throw new InvalidJobHandlerException(
					"The job handler " + method + " of bean '" + beanName
							+ "' is final, but the bean is proxied, and the proxy cannot pass its calls on",
					"Remove final from the method.");
		}
		refuseIfAsynchronous(beanName, method);
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
	 * A job has succeeded when its handler returns, so what goes on elsewhere after that
	 * would fail unseen.
	 */
	private static void refuseIfAsynchronous(String beanName, Method method) {
		Class<?> result = method.getReturnType();
		boolean async = AnnotatedElementUtils.hasAnnotation(method, Async.class)
				|| AnnotatedElementUtils.hasAnnotation(method.getDeclaringClass(), Async.class);
		if (async || Future.class.isAssignableFrom(result) || CompletionStage.class.isAssignableFrom(result)
				|| Flow.Publisher.class.isAssignableFrom(result)
				|| ReactiveAdapterRegistry.getSharedInstance().getAdapter(result) != null) {
			throw new InvalidJobHandlerException(
					"The job handler " + method + " of bean '" + beanName
							+ "' is asynchronous, but its job counts as succeeded as soon as it returns",
					"Let the handler wait for what it starts; it has a slot of its own (jobqueue.worker.concurrency).");
		}
	}

}
