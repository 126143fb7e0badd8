package io.jobqueue.spring.handler;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;

import io.jobqueue.JobHandler;
import io.jobqueue.PayloadFormat;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.aop.SpringProxy;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.AnnotationTransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.util.StringUtils;

/**
 * Which methods cannot be handlers, though they are marked as such.
 */
final class HandlerRules {

	private static final Logger log = LoggerFactory.getLogger(HandlerRules.class);

	/** Where a bean is there only while a request, a session or a message is handled. */
	private static final Set<String> SCOPES_OF_REQUESTS = Set.of("request", "session", "websocket");

	/** What a web framework's handlers are given. */
	private static final List<String> PACKAGES_WITHOUT_PAYLOADS = List.of("jakarta.servlet.", "javax.servlet.",
			"org.springframework.web.", "org.springframework.http.server.", "org.springframework.http.client.");

	private static final Set<String> NO_PAYLOADS = Set.of("java.security.Principal", "java.sql.Connection",
			"javax.sql.DataSource", "jakarta.persistence.EntityManager",
			"org.springframework.transaction.TransactionStatus", "org.springframework.http.HttpEntity",
			"org.springframework.http.RequestEntity");

	private static final Set<Integer> LEAVE_THE_TRANSACTION = Set.of(TransactionDefinition.PROPAGATION_REQUIRES_NEW,
			TransactionDefinition.PROPAGATION_NOT_SUPPORTED, TransactionDefinition.PROPAGATION_NEVER);

	private final ConfigurableListableBeanFactory beans;

	private final PayloadFormat payloads;

	private final AnnotationTransactionAttributeSource transactions = new AnnotationTransactionAttributeSource(false);

	HandlerRules(ConfigurableListableBeanFactory beans, PayloadFormat payloads) {
		this.beans = beans;
		this.payloads = payloads;
	}

	/**
	 * Checks a method.
	 * @param beanName its bean
	 * @param targetType the class of the bean, without proxies
	 * @param method the method as found in that class
	 * @param annotation what it is marked with
	 * @throws InvalidJobHandlerException if it cannot be a handler
	 */
	void check(String beanName, Class<?> targetType, Method method, JobHandler annotation) {
		Subject subject = new Subject(method, beanName);
		refuseIfNotCallable(subject);
		refuseIfAsynchronous(subject);
		refuseIfOfRequest(subject);
		if (annotation.transactional()) {
			refuseIfOutsideItsTransaction(subject, targetType);
		}
	}

	/**
	 * Checks that each method that declares a schedule runs its jobs too.
	 * @param beanName a bean
	 * @param type its class
	 * @throws InvalidJobHandlerException if one does not
	 */
	void refuseSchedulesWithoutHandler(String beanName, Class<?> type) {
		for (Method method : RecurringMethods.in(type)) {
			if (!AnnotatedElementUtils.hasAnnotation(method, JobHandler.class)) {
				throw new InvalidJobHandlerException(
						"The method " + method + " of bean '" + beanName
								+ "' is @Recurring, but no @JobHandler: nothing says which jobs it runs",
						"Add @JobHandler(\"…\") to the method.");
			}
		}
	}

	private void refuseIfNotCallable(Subject subject) {
		Class<?> beanType = this.beans.getType(subject.beanName(), false);
		if (Modifier.isPrivate(subject.method().getModifiers())) {
			throw subject.refused("is private",
					"Make it package-private or public; the class may stay package-private.");
		}
		if (beanType != null && SpringProxy.class.isAssignableFrom(beanType)
				&& Modifier.isFinal(subject.method().getModifiers())) {
			throw subject.refused("is final, but the bean is proxied, and the proxy cannot pass its calls on",
					"Remove final from the method.");
		}
	}

	/**
	 * A job has succeeded when its handler returns, so what goes on elsewhere after that
	 * would fail unseen.
	 */
	private static void refuseIfAsynchronous(Subject subject) {
		Method method = subject.method();
		Class<?> result = method.getReturnType();
		boolean async = AnnotatedElementUtils.hasAnnotation(method, Async.class)
				|| AnnotatedElementUtils.hasAnnotation(method.getDeclaringClass(), Async.class);
		if (async || Future.class.isAssignableFrom(result) || CompletionStage.class.isAssignableFrom(result)
				|| Flow.Publisher.class.isAssignableFrom(result)
				|| ReactiveAdapterRegistry.getSharedInstance().getAdapter(result) != null) {
			throw subject.refused("is asynchronous, but its job counts as succeeded as soon as it returns",
					"Let the handler wait for what it starts; it has a slot of its own (jobqueue.worker.concurrency).");
		}
	}

	private void refuseIfOfRequest(Subject subject) {
		String scope = scopeOf(subject.beanName());
		if (SCOPES_OF_REQUESTS.contains(scope)) {
			throw subject.refused("belongs to a bean of scope '" + scope + "', which no job is part of",
					"Move the handler to a singleton bean, and put what it needs of the request into the payload.");
		}
	}

	private String scopeOf(String beanName) {
		String target = ScopedProxyUtils.getTargetBeanName(beanName);
		String defined = this.beans.containsBeanDefinition(target) ? target : beanName;
		String scope = this.beans.containsBeanDefinition(defined)
				? this.beans.getMergedBeanDefinition(defined).getScope() : null;
		return (scope != null) ? scope : "";
	}

	/**
	 * The handler's writes would be committed apart from the ack, or its annotation would
	 * fail each attempt.
	 */
	private void refuseIfOutsideItsTransaction(Subject subject, Class<?> targetType) {
		TransactionAttribute own = this.transactions.getTransactionAttribute(subject.method(), targetType);
		boolean ofAnother = own != null && StringUtils.hasText(own.getQualifier());
		if (own != null && !ofAnother && LEAVE_THE_TRANSACTION.contains(own.getPropagationBehavior())) {
			throw subject.refused(
					"is transactional (@JobHandler), but its @Transactional leaves that transaction: what it writes would "
							+ "not be committed together with the job's completion",
					"Remove @Transactional, or its propagation; or set transactional = false, if the handler may run twice.");
		}
	}

	/**
	 * Checks the type of a handler's payload. Says so if it cannot be read, which need
	 * not be for good: another format, or a module of Jackson's, may come.
	 * @param beanName its bean
	 * @param method the method
	 * @param type the type
	 * @throws InvalidJobHandlerException if no payload can be of that type
	 */
	void checkPayload(String beanName, Method method, Type type) {
		Subject subject = new Subject(method, beanName);
		Class<?> raw = ResolvableType.forType(type).resolve(Object.class);
		if (isOfAnotherWorld(raw.getName())) {
			throw subject.refused("has a parameter of type " + raw.getName() + ", which no payload can be",
					"Put what the handler needs into the payload; no request and no connection is there when it runs.");
		}
		Optional<String> problem = this.payloads.problemOf(type);
		boolean mayBePayload = raw.isRecord()
				|| (problem.isEmpty() && (raw.isInterface() || Modifier.isAbstract(raw.getModifiers())));
		String[] candidates = isOfJava(raw) || mayBePayload ? new String[0]
				: this.beans.getBeanNamesForType(raw, true, false);
		if (candidates.length > 0) {
			throw subject.refused(
					"has a parameter of type " + raw.getName()
							+ ", which would be read from the payload, but is a bean ('" + candidates[0] + "')",
					"Inject it into the handler's bean, by its constructor. The only parameters are the payload and "
							+ "JobContext. If it is meant to be the payload, let it not be a bean.");
		}
		problem.ifPresent((reason) -> log.warn(
				"Payloads of the job handler {} cannot be read as {}: {}. Its jobs may be dead at once", method,
				type.getTypeName(), reason));
	}

	private static boolean isOfJava(Class<?> type) {
		return type.isPrimitive() || type.isArray() || type.isEnum() || type.getName().startsWith("java.");
	}

	private static boolean isOfAnotherWorld(String name) {
		return NO_PAYLOADS.contains(name) || PACKAGES_WITHOUT_PAYLOADS.stream().anyMatch(name::startsWith);
	}

	/**
	 * A method, and how to name it.
	 */
	private record Subject(Method method, String beanName) {

		InvalidJobHandlerException refused(String why, String action) {
			return new InvalidJobHandlerException(
					"The job handler " + this.method + " of bean '" + this.beanName + "' " + why, action);
		}

	}

}
