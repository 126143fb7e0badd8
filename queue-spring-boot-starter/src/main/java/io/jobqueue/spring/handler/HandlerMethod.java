package io.jobqueue.spring.handler;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.function.Supplier;

import io.jobqueue.JobContext;
import io.jobqueue.PayloadFormat;
import io.jobqueue.PermanentJobException;
import io.jobqueue.worker.Handler;

import org.jspecify.annotations.Nullable;

import org.springframework.core.GenericTypeResolver;

/**
 * A bean's method as the code that runs a job. The bean is looked up for each call, so
 * that lazy beans stay lazy and scoped ones scoped.
 */
final class HandlerMethod implements Handler.Invocation {

	private final Supplier<Object> bean;

	private final Method method;

	private final Argument[] arguments;

	HandlerMethod(Supplier<Object> bean, Method method, Class<?> beanType, PayloadFormat payloads) {
		this.bean = bean;
		this.method = method;
		this.arguments = arguments(method, beanType, payloads);
		method.setAccessible(true);
	}

	private static Argument[] arguments(Method method, Class<?> beanType, PayloadFormat payloads) {
		Class<?>[] types = method.getParameterTypes();
		Argument[] arguments = new Argument[types.length];
		boolean payload = false;
		boolean context = false;
		for (int i = 0; i < types.length; i++) {
			boolean isContext = types[i] == JobContext.class;
			if (isContext ? context : payload) {
				throw new InvalidJobHandlerException("The job handler " + method + " has too many parameters",
						"Give it at most one parameter for the payload and one of type JobContext.");
			}
			context |= isContext;
			payload |= !isContext;
			arguments[i] = isContext ? (text, job) -> job : payloadArgument(method, i, beanType, payloads);
		}
		return arguments;
	}

	private static Argument payloadArgument(Method method, int index, Class<?> beanType, PayloadFormat payloads) {
		Type type = GenericTypeResolver.resolveType(method.getGenericParameterTypes()[index], beanType);
		return (text, job) -> {
			Object value = (text != null) ? payloads.read(text, type) : null;
			if (value == null) {
				throw new PermanentJobException("The job's payload is " + ((text != null) ? "null" : "missing")
						+ ", but its handler expects a " + type.getTypeName());
			}
			return value;
		};
	}

	@Override
	public void invoke(@Nullable String payload, JobContext context) throws Exception {
		@Nullable Object[] values = new Object[this.arguments.length];
		for (int i = 0; i < values.length; i++) {
			values[i] = this.arguments[i].of(payload, context);
		}
		try {
			this.method.invoke(this.bean.get(), values);
		}
		catch (InvocationTargetException ex) {
			Throwable thrown = ex.getTargetException();
			if (thrown instanceof Exception exception) {
				throw exception;
			}
			if (thrown instanceof Error error) {
				throw error;
			}
			throw ex;
		}
	}

	/**
	 * Names the method in what is logged of its jobs.
	 */
	@Override
	public String toString() {
		return this.method.toString();
	}

	/**
	 * Makes one argument from what is known of the job.
	 */
	private interface Argument {

		@Nullable Object of(@Nullable String payload, JobContext context);

	}

}
