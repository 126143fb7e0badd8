package io.jobqueue.spring.handler;

import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;

import io.jobqueue.Job;
import io.jobqueue.JobContext;
import io.jobqueue.JobHandler;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.util.ClassUtils;

/**
 * Says, when an application is processed ahead of time, what a native image needs of the
 * payloads of its handlers, which Jackson reads and writes. Of the methods themselves
 * Spring knows, since their annotations are
 * {@link org.springframework.aot.hint.annotation.Reflective}.
 */
final class JobHandlerHints implements BeanRegistrationAotProcessor {

	private static final Set<Type> GIVEN = Set.of(JobContext.class, Job.class);

	private final BindingReflectionHintsRegistrar payloads = new BindingReflectionHintsRegistrar();

	@Override
	public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
		Class<?> type = ClassUtils.getUserClass(bean.getBeanClass());
		Map<Method, JobHandler> handlers = JobHandlerFinder.markedMethods(type);
		return handlers.isEmpty() ? null
				: (generation, code) -> register(type, handlers.keySet(), generation.getRuntimeHints().reflection());
	}

	private void register(Class<?> type, Set<Method> handlers, ReflectionHints hints) {
		TypeVariables variables = TypeVariables.of(type);
		handlers.stream()
			.flatMap((handler) -> Arrays.stream(handler.getGenericParameterTypes()))
			.map(variables::resolved)
			.filter((parameter) -> !GIVEN.contains(parameter))
			.forEach((parameter) -> {
				this.payloads.registerReflectionHints(hints, parameter);
				// Spring's own leaves out elements of arrays, what only fields hold, and
				// what stands for sealed types.
				this.payloads.registerReflectionHints(hints, PayloadClasses.of(parameter).toArray(Type[]::new));
			});
	}

}
