package io.jobqueue.spring.handler;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.function.Supplier;

import io.jobqueue.Job;
import io.jobqueue.JobContext;
import io.jobqueue.worker.Handler;

import org.jspecify.annotations.Nullable;

/**
 * A bean's method as the code that runs a job. The bean is looked up for each call, so
 * that lazy beans stay lazy and scoped ones scoped.
 */
final class HandlerMethod implements Handler.Invocation {

	private final Supplier<Object> bean;

	private final Method method;

	private final HandlerArguments arguments;

	HandlerMethod(Supplier<Object> bean, Method method, HandlerArguments arguments) {
		this.bean = bean;
		this.method = method;
		this.arguments = arguments;
		method.setAccessible(true);
	}

	HandlerArguments arguments() {
		return this.arguments;
	}

	@Override
	public @Nullable Type payloadType() {
		return this.arguments.payloadType();
	}

	@Override
	public void invoke(@Nullable String payload, JobContext context) throws Exception {
		invoke(payload, context, null);
	}

	/**
	 * Calls the method.
	 * @param payload the payload, or null if there is none
	 * @param context the job that runs
	 * @param dead the dead job that it is called for; null for none
	 * @throws Exception what the method throws
	 */
	void invoke(@Nullable String payload, JobContext context, @Nullable Job dead) throws Exception {
		call(this.method, this.bean.get(), this.arguments.of(payload, context, dead));
	}

	/**
	 * Calls a method.
	 * @throws Exception what it throws
	 */
	static void call(Method method, Object bean, @Nullable Object... values) throws Exception {
		try {
			method.invoke(bean, values);
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

}
