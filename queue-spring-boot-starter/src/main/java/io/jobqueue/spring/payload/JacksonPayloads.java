package io.jobqueue.spring.payload;

import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.jobqueue.PayloadFormat;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.exc.UnrecognizedPropertyException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Payloads as JSON, with the application's Jackson settings. The type to read comes from
 * the handler's parameter, never from the data: default typing is off even if the
 * application's mapper has it on.
 */
public final class JacksonPayloads implements PayloadFormat {

	private final JsonMapper mapper;

	private final TypeLook types;

	/**
	 * Creates the format.
	 * @param mapper the application's mapper, or one with Jackson's defaults
	 */
	public JacksonPayloads(JsonMapper mapper) {
		this.mapper = mapper.rebuild().deactivateDefaultTyping().build();
		this.types = new TypeLook(this.mapper);
	}

	/**
	 * The same, but what a type does not know cannot be read, unless the type itself says
	 * that it is to be left out; and no fraction as an integer. For tests.
	 * @return a stricter format
	 */
	public JacksonPayloads strict() {
		return new JacksonPayloads(this.mapper.rebuild()
			.enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
			.disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
			.build());
	}

	/**
	 * Which property of a payload a type does not know. For tests: the name is part of
	 * the payload.
	 * @param payload the payload
	 * @param type the type
	 * @return its name, with those of the objects around it; empty if there is none, or
	 * if the payload cannot be read for another reason
	 */
	public Optional<String> unknownProperty(String payload, Type type) {
		try {
			this.mapper.readValue(payload, this.mapper.constructType(type));
			return Optional.empty();
		}
		catch (UnrecognizedPropertyException ex) {
			return Optional.of(ex.getPath()
				.stream()
				.map((step) -> (step.getPropertyName() != null) ? step.getPropertyName() : "[" + step.getIndex() + "]")
				.collect(Collectors.joining(".")));
		}
		catch (JacksonException ex) {
			return Optional.empty();
		}
	}

	/**
	 * Writes a payload by its class. The class of a list need not tell what its elements
	 * are; Jackson then leaves out their type ids, and nobody could read them.
	 */
	@Override
	public String write(Object payload) {
		Object element = elementThatLosesItsTypeId(payload);
		if (element != null) {
			throw new IllegalArgumentException("payload of " + payload.getClass() + " holds a "
					+ element.getClass().getName() + ", whose type id (@JsonTypeInfo) is lost if the type of the "
					+ "elements is not known; give it: NewJob.of(type, payload, new ParameterizedTypeReference<...>() {})");
		}
		return written(payload, this.mapper.writer());
	}

	private @Nullable Object elementThatLosesItsTypeId(Object payload) {
		JavaType known = this.mapper.constructType(payload.getClass()).getContentType();
		if (known == null || !known.isJavaLangObject()) {
			return null;
		}
		Stream<?> elements = Stream.empty();
		if (payload instanceof Collection<?> collection) {
			elements = collection.stream();
		}
		else if (payload instanceof Map<?, ?> map) {
			elements = map.values().stream();
		}
		else if (payload instanceof Object[] array) {
			elements = Arrays.stream(array);
		}
		return elements.filter((element) -> element != null && this.types.needsTypeId(element.getClass()))
			.map(Object.class::cast)
			.findFirst()
			.orElse(null);
	}

	/**
	 * Writes a payload by its class and, if that does not tell what it holds, as the
	 * type, so that what is polymorphic inside keeps its type ids. All else is written by
	 * its class: as a type with fewer properties it would lose some.
	 */
	@Override
	public String write(Object payload, Type type) {
		JavaType declared = this.mapper.constructType(type);
		if (!declared.getRawClass().isInstance(payload) || !this.types.holdsTypeIds(declared)) {
			return written(payload, this.mapper.writer());
		}
		try {
			return written(payload, this.mapper.writerFor(declared));
		}
		catch (IllegalArgumentException | ClassCastException ex) {
			// Perhaps its elements are not what the type says, as maps in place of
			// records.
			try {
				return write(payload);
			}
			catch (IllegalArgumentException other) {
				ex.addSuppressed(other);
				throw ex;
			}
		}
	}

	private static String written(Object payload, ObjectWriter writer) {
		String text;
		try {
			text = writer.writeValueAsString(payload);
		}
		catch (JacksonException ex) {
			throw new IllegalArgumentException(
					"payload of " + payload.getClass() + " cannot be written as JSON: " + ex.getOriginalMessage(),
					ex.getCause());
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
			throw UnreadablePayload.because("The payload cannot be read as " + type.getTypeName() + ": "
					+ new PayloadProblem(this.types).describe(ex, payload));
		}
	}

	@Override
	public Optional<String> problemOf(Type type) {
		return this.types.problemOf(this.mapper.constructType(type));
	}

}
