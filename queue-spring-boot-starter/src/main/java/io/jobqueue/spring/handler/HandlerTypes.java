package io.jobqueue.spring.handler;

import java.lang.reflect.Method;

import io.jobqueue.DeadJobHandler;
import io.jobqueue.NewJob;
import io.jobqueue.store.DeadJobTypes;

import org.springframework.core.annotation.AnnotatedElementUtils;

/**
 * The types of the jobs that methods run.
 */
final class HandlerTypes {

	private HandlerTypes() {
	}

	/**
	 * The type of the jobs that a method runs.
	 * @param method the method
	 * @param value what its annotation says
	 * @throws IllegalArgumentException if that is not a type, or one of the queue's own
	 */
	static String of(Method method, String value) {
		boolean everyType = value.equals(DeadJobTypes.EVERY_TYPE);
		if (!AnnotatedElementUtils.hasAnnotation(method, DeadJobHandler.class)) {
			NewJob.of(value);
			return notReserved(value);
		}
		if (!everyType) {
			NewJob.of(value);
		}
		String type = DeadJobTypes.telling(notReserved(value));
		if (value.length() > DeadJobTypes.LONGEST) {
			throw new IllegalArgumentException("the type '" + value + "' has more than " + DeadJobTypes.LONGEST
					+ " characters, which is too long for one whose dead jobs have a handler");
		}
		return type;
	}

	private static String notReserved(String type) {
		if (type.startsWith(DeadJobTypes.RESERVED)) {
			throw new IllegalArgumentException(
					"types that begin with " + DeadJobTypes.RESERVED + " are the job queue's own, as '" + type + "'");
		}
		return type;
	}

}
