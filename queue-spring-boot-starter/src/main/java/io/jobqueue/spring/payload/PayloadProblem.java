package io.jobqueue.spring.payload;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.databind.exc.InvalidDefinitionException;
import tools.jackson.databind.exc.InvalidFormatException;
import tools.jackson.databind.exc.InvalidTypeIdException;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.exc.UnrecognizedPropertyException;
import tools.jackson.databind.exc.ValueInstantiationException;

/**
 * Says why a payload cannot be read: where, what was expected there, and what kind of
 * value was found. Never says the value itself, nor the key of a map, since this is
 * logged.
 */
final class PayloadProblem {

	private static final int MAX_PATH = 200;

	private final TypeLook types;

	PayloadProblem(TypeLook types) {
		this.types = types;
	}

	/**
	 * Describes what is wrong.
	 * @param ex what Jackson has thrown
	 * @param payload what it read
	 */
	String describe(JacksonException ex, String payload) {
		return problem(ex, payload) + place(ex);
	}

	private static String problem(JacksonException ex, String payload) {
		if (ex instanceof UnrecognizedPropertyException) {
			return "a property is not known";
		}
		if (ex instanceof InvalidTypeIdException typeId) {
			return (typeId.getTypeId() == null) ? "the type id of a " + nameOf(typeId.getBaseType()) + " is missing"
					: "the type id names no known subtype of " + nameOf(typeId.getBaseType());
		}
		if (ex instanceof InvalidDefinitionException definition) {
			return "Jackson cannot create a " + nameOf(definition.getType())
					+ " (an interface or abstract class without type ids, or no constructor that it can use)";
		}
		if (ex instanceof ValueInstantiationException refused) {
			Throwable cause = refused.getCause();
			return "the constructor of " + nameOf(refused.getType()) + " refused it"
					+ ((cause != null) ? " with a " + cause.getClass().getName() : "");
		}
		if (ex instanceof InvalidFormatException format) {
			return "expected " + nameOf(format.getTargetType()) + ", found " + kindOf(format.getValue())
					+ " that is none";
		}
		if (ex instanceof MismatchedInputException mismatch && mismatch.getTargetType() != null) {
			return "expected " + nameOf(mismatch.getTargetType()) + ", found " + kindAt(ex.getLocation(), payload);
		}
		return (ex.getPath().isEmpty() && !(ex instanceof MismatchedInputException)) ? "it is not valid JSON"
				: ex.getClass().getSimpleName();
	}

	private static String nameOf(@Nullable Object type) {
		if (type instanceof Class<?> raw) {
			return raw.getTypeName();
		}
		return (type instanceof java.lang.reflect.Type known) ? known.getTypeName()
				: "value of a type that is not known";
	}

	private static String kindOf(@Nullable Object value) {
		if (value == null) {
			return "null";
		}
		if (value instanceof CharSequence) {
			return "a string";
		}
		if (value instanceof Number) {
			return "a number";
		}
		return (value instanceof Boolean) ? "a boolean" : "a value";
	}

	/**
	 * The parser is closed by now, so the text itself tells. Where an object was found,
	 * its first name has been read too.
	 */
	private static String kindAt(@Nullable TokenStreamLocation location, String payload) {
		long offset = (location != null) ? location.getCharOffset() : -1;
		if (offset < 0 || offset >= payload.length()) {
			return "nothing";
		}
		char first = payload.charAt((int) offset);
		if (first == '"' && payload.substring(0, (int) offset).stripTrailing().endsWith("{")) {
			return "an object";
		}
		return switch (first) {
			case '{' -> "an object";
			case '[' -> "an array";
			case '"' -> "a string";
			case 't', 'f' -> "a boolean";
			case 'n' -> "null";
			case '}', ']', ',', ':' -> "nothing";
			default -> (first == '-' || Character.isDigit(first)) ? "a number" : "something else";
		};
	}

	private String place(JacksonException ex) {
		StringBuilder path = new StringBuilder();
		for (JacksonException.Reference reference : ex.getPath()) {
			path.append(step(reference, path.isEmpty()));
		}
		String text = (path.length() > MAX_PATH) ? path.substring(0, MAX_PATH) + "…" : path.toString();
		TokenStreamLocation location = ex.getLocation();
		return (text.isEmpty() ? "" : ", at " + text) + ((location != null && location.getLineNr() > 0)
				? " (line " + location.getLineNr() + ", column " + location.getColumnNr() + ")" : "");
	}

	/**
	 * A name is shown only if it is one of the class's own: another one is the key of a
	 * map, or of what an any-setter collects, and may be anything.
	 */
	private String step(JacksonException.Reference reference, boolean first) {
		String name = reference.getPropertyName();
		if (name == null) {
			return (reference.getIndex() >= 0) ? "[" + reference.getIndex() + "]" : "[?]";
		}
		Object from = reference.from();
		Class<?> owner = (from instanceof Class<?> type) ? type : (from != null) ? from.getClass() : Object.class;
		return this.types.propertiesOf(owner).contains(name) ? (first ? name : "." + name) : "[?]";
	}

}
