package io.jobqueue.store;

import java.lang.reflect.Type;

import org.jspecify.annotations.Nullable;

/**
 * As what the handlers of this application read payloads.
 */
@FunctionalInterface
public interface PayloadTypes {

	/** Nothing is known, as in an application that only enqueues. */
	PayloadTypes UNKNOWN = (jobType) -> null;

	/**
	 * What the payloads of a job type are read as.
	 * @param jobType the job type
	 * @return the type, generics included; null if it is not known
	 */
	@Nullable Type of(String jobType);

}
