package io.jobqueue.store;

import java.lang.reflect.Type;

import io.jobqueue.PayloadFormat;
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

	/**
	 * Writes a payload as what the handler of its job reads, if that is known.
	 * @param format how payloads are written
	 * @param jobType the job type
	 * @param payload the payload, never null
	 * @return the text
	 * @throws IllegalArgumentException if the payload cannot be written
	 */
	default String write(PayloadFormat format, String jobType, Object payload) {
		Type type = of(jobType);
		return (type != null) ? format.write(payload, type) : format.write(payload);
	}

}
