package io.jobqueue.spring.autoconfigure;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

/**
 * Says which property was meant by one below {@code jobqueue} that is none. Comes before
 * Spring Boot's own words, which do not.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
class UnknownPropertyFailureAnalyzer extends AbstractFailureAnalyzer<UnboundConfigurationPropertiesException> {

	private static final Logger log = LoggerFactory.getLogger(UnknownPropertyFailureAnalyzer.class);

	private static final ConfigurationPropertyName ALL = ConfigurationPropertyName.of("jobqueue");

	private static final ConfigurationPropertyName QUEUES = ALL.append("queues");

	private static final ConfigurationPropertyName LIMITS = ALL.append("limits");

	private static final String METADATA = "classpath*:META-INF/spring-configuration-metadata.json";

	/** More changed letters are another word. */
	private static final int MOST_CHANGED = 4;

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable rootFailure, UnboundConfigurationPropertiesException cause) {
		List<ConfigurationProperty> unknown = cause.getUnboundProperties()
			.stream()
			.sorted(Comparator.comparing(ConfigurationProperty::getName))
			.toList();
		if (!unknown.stream().map(ConfigurationProperty::getName).allMatch(ALL::isAncestorOf)) {
			return null;
		}
		List<String> known = known();
		return new FailureAnalysis(
				unknown.stream().map((property) -> describe(property, known)).collect(Collectors.joining("\n")),
				"Correct the name, or remove the property.", cause);
	}

	private static String describe(ConfigurationProperty property, List<String> known) {
		String origin = (property.getOrigin() != null) ? " (" + property.getOrigin() + ")" : "";
		return "There is no property " + property.getName() + origin + "."
				+ meant(property.getName(), known).map((name) -> " Did you mean " + name + "?").orElse("");
	}

	private static Optional<String> meant(ConfigurationPropertyName name, List<String> known) {
		for (ConfigurationPropertyName map : List.of(QUEUES, LIMITS)) {
			int first = map.getNumberOfElements();
			if (map.isAncestorOf(name) && name.getNumberOfElements() > first + 1) {
				Class<?> type = map.equals(QUEUES) ? QueueProperties.class : LimitProperties.class;
				String last = name.getLastElement(ConfigurationPropertyName.Form.DASHED);
				String key = name.chop(name.getNumberOfElements() - 1).subName(first).toString();
				boolean hasBrackets = key.startsWith("[");
				String of = map
						+ ((hasBrackets || !key.contains(".")) ? (hasBrackets ? key : "." + key) : "[" + key + "]")
						+ ".";
				return closest(of + last,
						Arrays.stream(type.getRecordComponents())
							.map((component) -> of + DataObjectPropertyName.toDashedForm(component.getName()))
							.toList());
			}
		}
		return closest(name.toString(), known);
	}

	/**
	 * The name with the fewest letters changed; or the only one that ends alike.
	 */
	private static Optional<String> closest(String name, List<String> known) {
		Optional<String> similar = known.stream()
			.filter((one) -> distance(name, one) <= MOST_CHANGED)
			.min(Comparator.comparingInt((one) -> distance(name, one)));
		String end = name.substring(name.lastIndexOf('.'));
		List<String> alike = known.stream().filter((one) -> one.endsWith(end)).toList();
		return similar.or(() -> (alike.size() == 1) ? Optional.of(alike.get(0)) : Optional.empty());
	}

	/**
	 * How many letters have to be added, removed or replaced (Levenshtein).
	 */
	private static int distance(String one, String other) {
		int[] row = new int[other.length() + 1];
		Arrays.setAll(row, (i) -> i);
		for (int i = 1; i <= one.length(); i++) {
			int diagonal = row[0];
			row[0] = i;
			for (int j = 1; j <= other.length(); j++) {
				int replaced = diagonal + ((one.charAt(i - 1) == other.charAt(j - 1)) ? 0 : 1);
				diagonal = row[j];
				row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
			}
		}
		return row[other.length()];
	}

	/**
	 * The names that the modules of the queue describe for editors, that of the dashboard
	 * too if it is there.
	 */
	private static List<String> known() {
		try {
			TreeSet<String> names = new TreeSet<>();
			for (Resource metadata : new PathMatchingResourcePatternResolver().getResources(METADATA)) {
				try (InputStream json = metadata.getInputStream()) {
					names(json).filter((name) -> ALL.isAncestorOf(ConfigurationPropertyName.of(name)))
						.forEach(names::add);
				}
			}
			return List.copyOf(names);
		}
		catch (IOException | JacksonException ex) {
			log.debug("It cannot be told which properties there are", ex);
			return List.of();
		}
	}

	private static Stream<String> names(InputStream json) {
		return JsonMapper.shared()
			.readTree(json)
			.path("properties")
			.valueStream()
			.map((property) -> property.path("name").asString())
			.filter(ConfigurationPropertyName::isValid);
	}

}
