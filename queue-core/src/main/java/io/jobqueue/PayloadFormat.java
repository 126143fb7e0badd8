package io.jobqueue;

import java.lang.reflect.Type;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * Turns payloads into the text that is stored with the job, and back. The starter's own
 * writes JSON with the application's Jackson settings; a bean of this type replaces it.
 * Many threads use it at once.
 */
public interface PayloadFormat {

	/**
	 * Writes a payload as text.
	 * @param payload the payload, never null
	 * @return the text to store
	 * @throws IllegalArgumentException if the payload cannot be written; the message
	 * names its class and the reason
	 */
	String write(Object payload);

	/**
	 * Writes a payload whose type is known, which its class alone does not tell: that of
	 * the handler's parameter, or what
	 * {@link NewJob#of(String, Object, org.springframework.core.ParameterizedTypeReference)}
	 * was given. A format that needs no types leaves this as it is.
	 * @param payload the payload, never null; it may be something else than the type, if
	 * the handler reads what others write
	 * @param type the type, generics included
	 * @return the text to store
	 * @throws IllegalArgumentException as {@link #write(Object)}
	 */
	default String write(Object payload, Type type) {
		return write(payload);
	}

	/**
	 * Reads a payload. What to create is decided by the type alone, never by the text.
	 * @param payload the text that is stored
	 * @param type the type of the handler's parameter, generics included
	 * @return the payload; null if the text stands for null, as JSON's {@code null}: then
	 * the job is dead
	 * @throws PermanentJobException if the text cannot be read; its message is written to
	 * the log, so it should not show the text
	 */
	@Nullable Object read(String payload, Type type);

	/**
	 * Looks, at start-up, at the type of a handler's parameter.
	 * @param type the type, generics included
	 * @return why no payload can be read as this type, as one sentence without a full
	 * stop; empty if that is not known
	 */
	default Optional<String> problemOf(Type type) {
		return Optional.empty();
	}

	/**
	 * A format for payloads that are text already.
	 * @return a format that accepts {@link CharSequence} only
	 */
	static PayloadFormat text() {
		return new PayloadFormat() {

			@Override
			public String write(Object payload) {
				if (payload instanceof CharSequence text) {
					return text.toString();
				}
				throw new IllegalArgumentException(
						"Only text payloads can be written here, but this is a " + payload.getClass().getName());
			}

			@Override
			public Object read(String payload, Type type) {
				if (type instanceof Class<?> expected && expected.isInstance(payload)) {
					return payload;
				}
				throw new PermanentJobException("Only text payloads can be read here, not " + type.getTypeName());
			}

		};
	}

}
