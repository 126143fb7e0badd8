package io.jobqueue.spring.payload;

import java.lang.reflect.Type;

import io.jobqueue.PayloadFormat;
import io.jobqueue.PermanentJobException;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.json.JsonMapper;

/**
 * Payloads as JSON, with the application's Jackson settings. The type to read comes from
 * the handler's parameter, never from the data: default typing is off even if the
 * application's mapper has it on.
 */
public final class JacksonPayloads implements PayloadFormat {

	private final JsonMapper mapper;

	/**
	 * Creates the format.
	 * @param mapper the application's mapper, or one with Jackson's defaults
	 */
	public JacksonPayloads(JsonMapper mapper) {
		this.mapper = mapper.rebuild().deactivateDefaultTyping().build();
	}

	@Override
	public String write(Object payload) {
		try {
			return this.mapper.writeValueAsString(payload);
		}
		catch (JacksonException ex) {
			throw new IllegalArgumentException(
					"payload of " + payload.getClass() + " cannot be written as JSON: " + ex.getOriginalMessage(), ex);
		}
	}

	/**
	 * Prepares to read payloads of one type.
	 * @param type the type, generics included
	 * @return a reader
	 */
	public Reader reader(Type type) {
		return new Reader(this.mapper, this.mapper.constructType(type));
	}

	/**
	 * Reads payloads of one type.
	 */
	public static final class Reader {

		private final JsonMapper mapper;

		private final JavaType type;

		private Reader(JsonMapper mapper, JavaType type) {
			this.mapper = mapper;
			this.type = type;
		}

		/**
		 * Reads a payload.
		 * @param payload the JSON text, or null if the job has no payload
		 * @return the payload as an object, never null
		 * @throws PermanentJobException if there is none or it cannot be read; neither
		 * the message nor a cause shows the payload itself
		 */
		public Object read(@Nullable String payload) {
			if (payload == null) {
				throw new PermanentJobException(
						"The job has no payload, but its handler expects a " + this.type.toCanonical());
			}
			Object value;
			try {
				value = this.mapper.readValue(payload, this.type);
			}
			catch (JacksonException ex) {
				throw new PermanentJobException("The payload cannot be read as " + this.type.toCanonical() + ": "
						+ ex.getClass().getSimpleName() + where(ex.getLocation()));
			}
			if (value == null) {
				throw new PermanentJobException(
						"The payload is null, but the handler expects a " + this.type.toCanonical());
			}
			return value;
		}

		private static String where(@Nullable TokenStreamLocation location) {
			return (location != null && location.getLineNr() > 0)
					? " at line " + location.getLineNr() + ", column " + location.getColumnNr() : "";
		}

	}

}
