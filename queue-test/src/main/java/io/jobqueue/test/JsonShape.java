package io.jobqueue.test;

import java.util.Set;
import java.util.TreeSet;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What fields a JSON text has.
 */
final class JsonShape {

	private static final JsonMapper JSON = new JsonMapper();

	private JsonShape() {
	}

	/**
	 * The names of fields, whatever their values are; texts that are no JSON have none.
	 */
	static Set<String> of(String text) {
		try {
			Set<String> names = new TreeSet<>();
			collect("", JSON.readTree(text), names);
			return names;
		}
		catch (JacksonException ex) {
			return Set.of();
		}
	}

	private static void collect(String path, JsonNode node, Set<String> names) {
		node.properties().forEach((field) -> {
			names.add(path + "/" + field.getKey());
			collect(path + "/" + field.getKey(), field.getValue(), names);
		});
		node.values().stream().filter((value) -> node.isArray()).forEach((value) -> collect(path + "[]", value, names));
	}

}
