package io.jobqueue.processor;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import javax.lang.model.SourceVersion;

/**
 * The names of a factory's methods: the type of their jobs, in camel case. Where that is
 * no name of a method, or the name of two, it is the name of the handler's method.
 */
final class FactoryNames {

	/** A static method cannot have the name of a method that every object has. */
	private static final Set<String> OF_EVERY_OBJECT = Set.of("clone", "equals", "finalize", "getClass", "hashCode",
			"notify", "notifyAll", "toString", "wait");

	private FactoryNames() {
	}

	/**
	 * Names the methods for handlers.
	 * @param handlers the handlers
	 * @return their names; those that have none are left out
	 */
	static Map<CheckedHandler, String> of(Collection<CheckedHandler> handlers) {
		Map<String, Long> types = handlers.stream()
			.filter((handler) -> !handler.isTypeOfProperty())
			.collect(Collectors.groupingBy((handler) -> camelCase(handler.type()), Collectors.counting()));
		Map<CheckedHandler, String> names = new LinkedHashMap<>();
		for (CheckedHandler handler : handlers) {
			String ofType = camelCase(handler.type());
			boolean isName = !handler.isTypeOfProperty() && canBeName(ofType) && types.getOrDefault(ofType, 0L) == 1;
			names.put(handler, isName ? ofType : handler.method().getSimpleName().toString());
		}
		Map<String, List<String>> taken = names.values().stream().collect(Collectors.groupingBy((name) -> name));
		names.values().removeIf((name) -> !canBeName(name) || taken.getOrDefault(name, List.of()).size() > 1);
		return names;
	}

	private static boolean canBeName(String name) {
		return SourceVersion.isName(name) && !OF_EVERY_OBJECT.contains(name);
	}

	/**
	 * {@code send-receipt} is sendReceipt. Letters that are capitals stay so.
	 */
	private static String camelCase(String type) {
		StringBuilder name = new StringBuilder();
		boolean begins = false;
		for (char letter : type.toCharArray()) {
			if (!Character.isJavaIdentifierPart(letter) || letter == '_') {
				begins = true;
			}
			else {
				name.append((begins && !name.isEmpty()) ? Character.toUpperCase(letter)
						: name.isEmpty() ? Character.toLowerCase(letter) : letter);
				begins = false;
			}
		}
		return name.toString();
	}

}
