package io.jobqueue;

/**
 * Turns payloads into the text that is stored with the job. The starter's own writes JSON
 * with the application's Jackson settings; a bean of this type replaces it.
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
	 * A format for payloads that are text already.
	 * @return a format that accepts {@link CharSequence} only
	 */
	static PayloadFormat text() {
		return (payload) -> {
			if (payload instanceof CharSequence text) {
				return text.toString();
			}
			throw new IllegalArgumentException(
					"Only text payloads can be written here, but this is a " + payload.getClass().getName());
		};
	}

}
