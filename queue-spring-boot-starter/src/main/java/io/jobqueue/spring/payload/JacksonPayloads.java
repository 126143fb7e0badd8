package io.jobqueue.spring.payload;

import java.lang.reflect.Type;

import io.jobqueue.PayloadFormat;
import io.jobqueue.PermanentJobException;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.TokenStreamLocation;
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
		String text;
		try {
			text = this.mapper.writeValueAsString(payload);
		}
		catch (JacksonException ex) {
			throw new IllegalArgumentException(
					"payload of " + payload.getClass() + " cannot be written as JSON: " + ex.getOriginalMessage(), ex);
		}
		if (text.equals("null")) {
			throw new IllegalArgumentException("payload of " + payload.getClass()
					+ " is written as the JSON null, which no handler takes; enqueue the job without a payload");
		}
		return text;
	}

	/**
	 * Reads a payload. Neither the message of a failure nor a cause shows the payload
	 * itself: Jackson's own messages quote it.
	 */
	@Override
	public @Nullable Object read(String payload, Type type) {
		try {
			return this.mapper.readValue(payload, this.mapper.constructType(type));
		}
		catch (JacksonException ex) {
			throw new PermanentJobException("The payload cannot be read as " + type.getTypeName() + ": "
					+ ex.getClass().getSimpleName() + where(ex.getLocation()));
		}
	}

	private static String where(@Nullable TokenStreamLocation location) {
		return (location != null && location.getLineNr() > 0)
				? " at line " + location.getLineNr() + ", column " + location.getColumnNr() : "";
	}

}
