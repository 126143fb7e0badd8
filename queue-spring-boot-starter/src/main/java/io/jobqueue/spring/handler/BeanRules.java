package io.jobqueue.spring.handler;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;

import io.jobqueue.PayloadFormat;
import io.jobqueue.rule.MethodRules;
import io.jobqueue.rule.ParameterRules;
import io.jobqueue.rule.RefusedException;

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
 * Looks at a handler's method and at its bean, and refuses what cannot run jobs.
 */
final class BeanRules {

	private static final Logger log = LoggerFactory.getLogger(BeanRules.class);

	private static final Map<Integer, String> PROPAGATIONS = Map.of(TransactionDefinition.PROPAGATION_REQUIRES_NEW,
			"REQUIRES_NEW", TransactionDefinition.PROPAGATION_NOT_SUPPORTED, "NOT_SUPPORTED",
			TransactionDefinition.PROPAGATION_NEVER, "NEVER");

	private final ConfigurableListableBeanFactory beans;

	private final PayloadFormat payloads;

	private final AnnotationTransactionAttributeSource transactions = new AnnotationTransactionAttributeSource(false);

	BeanRules(ConfigurableListableBeanFactory beans, PayloadFormat payloads) {
		this.beans = beans;
		this.payloads = payloads;
	}

	/**
	 * Checks a method.
	 * @param beanName its bean
	 * @param targetType the class of the bean, without proxies
	 * @param method the method as found in that class
	 * @param transactional whether it runs in a transaction with its job's completion
	 * @throws RefusedException if it cannot be a handler
	 */
	void check(String beanName, Class<?> targetType, Method method, boolean transactional) {
		MethodRules.refuseIfPrivate(Modifier.isPrivate(method.getModifiers()));
		refuseIfProxyCannotCall(beanName, method);
		MethodRules.refuseIfAsynchronous(isAsynchronous(method));
		MethodRules.refuseIfOfRequest(scopeOf(beanName));
		if (transactional) {
			MethodRules.refuseIfOutsideItsTransaction(propagationOf(method, targetType));
		}
	}

	private void refuseIfProxyCannotCall(String beanName, Method method) {
		Class<?> beanType = this.beans.getType(beanName, false);
		if (beanType != null && SpringProxy.class.isAssignableFrom(beanType)
				&& Modifier.isFinal(method.getModifiers())) {
			throw new RefusedException("is final, but the bean is proxied, and the proxy cannot pass its calls on",
					"Remove final from the method.");
		}
	}

	private static boolean isAsynchronous(Method method) {
		Class<?> result = method.getReturnType();
		return AnnotatedElementUtils.hasAnnotation(method, Async.class)
				|| AnnotatedElementUtils.hasAnnotation(method.getDeclaringClass(), Async.class)
				|| Future.class.isAssignableFrom(result) || CompletionStage.class.isAssignableFrom(result)
				|| Flow.Publisher.class.isAssignableFrom(result)
				|| ReactiveAdapterRegistry.getSharedInstance().getAdapter(result) != null;
	}

	private String scopeOf(String beanName) {
		String target = ScopedProxyUtils.getTargetBeanName(beanName);
		String defined = this.beans.containsBeanDefinition(target) ? target : beanName;
		String scope = this.beans.containsBeanDefinition(defined)
				? this.beans.getMergedBeanDefinition(defined).getScope() : null;
		return (scope != null) ? scope : "";
	}

	/**
	 * The propagation that the method's own annotation says.
	 * @return its name; empty if it says none that matters, or is for another transaction
	 * manager
	 */
	private String propagationOf(Method method, Class<?> targetType) {
		TransactionAttribute own = this.transactions.getTransactionAttribute(method, targetType);
		boolean ofAnother = own != null && StringUtils.hasText(own.getQualifier());
		return (own == null || ofAnother) ? "" : PROPAGATIONS.getOrDefault(own.getPropagationBehavior(), "");
	}

	/**
	 * Checks the type of a handler's payload. Says so if it cannot be read, which need
	 * not be for good: another format, or a module of Jackson's, may come.
	 * @param method the method
	 * @param type the type
	 * @throws RefusedException if no payload can be of that type
	 */
	void checkPayload(Method method, Type type) {
		Class<?> raw = ResolvableType.forType(type).resolve(Object.class);
		ParameterRules.refuseIfOfAnotherWorld(raw.getName());
		Optional<String> problem = this.payloads.problemOf(type);
		boolean mayBePayload = raw.isRecord()
				|| (problem.isEmpty() && (raw.isInterface() || Modifier.isAbstract(raw.getModifiers())));
		String[] candidates = isOfJava(raw) || mayBePayload ? new String[0]
				: this.beans.getBeanNamesForType(raw, true, false);
		if (candidates.length > 0) {
			throw new RefusedException(
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

}
