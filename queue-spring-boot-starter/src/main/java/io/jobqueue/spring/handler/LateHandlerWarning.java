package io.jobqueue.spring.handler;

import java.lang.reflect.Method;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.jobqueue.DeadJobHandler;
import io.jobqueue.rule.HandlerTypes;
import io.jobqueue.worker.Handlers;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.EmbeddedValueResolver;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.core.annotation.AnnotatedElementUtils;

/**
 * Notices handlers that could not be found at start-up: those of a lazy bean, or of a
 * prototype, whose method is declared with an interface or a class that does not have
 * them. Says so when such a bean is created. Never keeps a bean from being created.
 */
public final class LateHandlerWarning implements BeanPostProcessor, ApplicationListener<ContextRefreshedEvent> {

	private static final Logger log = LoggerFactory.getLogger(LateHandlerWarning.class);

	private final ObjectProvider<Handlers> handlers;

	private final ConfigurableBeanFactory beans;

	private final Set<Class<?>> seen = ConcurrentHashMap.newKeySet();

	private volatile boolean started;

	/**
	 * Creates the warning.
	 * @param handlers what was found
	 * @param beans what resolves placeholders
	 */
	public LateHandlerWarning(ObjectProvider<Handlers> handlers, ConfigurableBeanFactory beans) {
		this.handlers = handlers;
		this.beans = beans;
	}

	/**
	 * All handlers that can be found are known now.
	 */
	@Override
	public void onApplicationEvent(ContextRefreshedEvent event) {
		this.started = true;
		this.seen.forEach(this::look);
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		Class<?> type = AopUtils.getTargetClass(bean);
		if (this.seen.add(type) && this.started) {
			look(type);
		}
		return bean;
	}

	private void look(Class<?> type) {
		try {
			JobHandlerFinder.markedMethods(type)
				.forEach((method, annotation) -> warnIfUnknown(method, annotation.value()));
		}
		catch (RuntimeException ex) {
			log.debug("It cannot be told whether the handlers of {} are known", type, ex);
		}
	}

	private static String typeOf(Method method, String value) {
		return HandlerTypes.of(value, AnnotatedElementUtils.hasAnnotation(method, DeadJobHandler.class));
	}

	private void warnIfUnknown(Method method, String text) {
		Handlers known = this.handlers.getIfAvailable();
		String jobType = new EmbeddedValueResolver(this.beans).resolveStringValue(text);
		if (known != null && jobType != null && known.find(typeOf(method, jobType)) == null) {
			log.warn("The job handler {} was not found at start-up, so this application runs no '{}' jobs: its bean is "
					+ "declared with a type that does not have the method, and is lazy or no singleton. Declare its @Bean "
					+ "method with the class", method, jobType);
		}
	}

}
