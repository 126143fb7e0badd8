package io.jobqueue.spring.autoconfigure;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
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
 * Explains that a property below {@code jobqueue} does not exist, and names the one that
 * was meant. Comes before Spring Boot's own analyzer, which names none.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
class UnknownPropertyFailureAnalyzer extends AbstractFailureAnalyzer<UnboundConfigurationPropertiesException> {

	private static final Logger log = LoggerFactory.getLogger(UnknownPropertyFailureAnalyzer.class);

	private static final ConfigurationPropertyName ALL = ConfigurationPropertyName.of("jobqueue");

	/** The metadata do not say what these have for each name. */
	private static final Map<String, Class<?>> MAPS = Map.of("queues", QueueProperties.class, "limits",
			LimitProperties.class);

	private static final String METADATA = "classpath*:META-INF/spring-configuration-metadata.json";

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
		for (Map.Entry<String, Class<?>> map : MAPS.entrySet()) {
			int last = name.getNumberOfElements() - 1;
			if (last > 2 && isSimilar(element(name, 1), map.getKey())) {
				String key = name.chop(last).subName(2).toString();
				boolean needsBrackets = key.contains(".") && !key.startsWith("[");
				ConfigurationPropertyName of = ALL.append(map.getKey()).append(needsBrackets ? "[" + key + "]" : key);
				return Arrays.stream(map.getValue().getRecordComponents())
					.map((component) -> DataObjectPropertyName.toDashedForm(component.getName()))
					.filter((component) -> isSimilar(element(name, last), component))
					.min(Comparator.comparingInt((component) -> distance(element(name, last), component)))
					.map((component) -> of.append(component).toString());
			}
		}
		return closest(name, known.stream().map(ConfigurationPropertyName::of).toList())
			.map(ConfigurationPropertyName::toString);
	}

	private static String element(ConfigurationPropertyName name, int index) {
		return name.getElement(index, ConfigurationPropertyName.Form.DASHED);
	}

	/**
	 * The name that is mistyped; or the only one that ends alike.
	 */
	private static Optional<ConfigurationPropertyName> closest(ConfigurationPropertyName name,
			List<ConfigurationPropertyName> known) {
		Optional<ConfigurationPropertyName> similar = known.stream()
			.filter((one) -> one.getNumberOfElements() == name.getNumberOfElements()
					&& elements(name).allMatch((index) -> isSimilar(element(name, index), element(one, index))))
			.min(Comparator.comparingInt((one) -> distance(name.toString(), one.toString())));
		String end = element(name, name.getNumberOfElements() - 1);
		List<ConfigurationPropertyName> alike = known.stream()
			.filter((one) -> element(one, one.getNumberOfElements() - 1).equals(end))
			.toList();
		return similar.or(() -> (alike.size() == 1) ? Optional.of(alike.get(0)) : Optional.empty());
	}

	private static Stream<Integer> elements(ConfigurationPropertyName name) {
		return IntStream.range(0, name.getNumberOfElements()).boxed();
	}

	/**
	 * Whether one may be the other mistyped: of short words each would be like each.
	 */
	private static boolean isSimilar(String one, String known) {
		return distance(one, known) <= Math.max(1, known.length() / 3);
	}

	/**
	 * How many letters have to be added, removed, replaced or swapped with their
	 * neighbour (Damerau and Levenshtein).
	 */
	private static int distance(String one, String other) {
		int[][] of = new int[one.length() + 1][other.length() + 1];
		for (int i = 0; i <= one.length(); i++) {
			for (int j = 0; j <= other.length(); j++) {
				if (i == 0 || j == 0) {
					of[i][j] = i + j;
					continue;
				}
				boolean same = one.charAt(i - 1) == other.charAt(j - 1);
				of[i][j] = Math.min(of[i - 1][j - 1] + (same ? 0 : 1), Math.min(of[i - 1][j], of[i][j - 1]) + 1);
				if (i > 1 && j > 1 && one.charAt(i - 1) == other.charAt(j - 2)
						&& one.charAt(i - 2) == other.charAt(j - 1)) {
					of[i][j] = Math.min(of[i][j], of[i - 2][j - 2] + 1);
				}
			}
		}
		return of[one.length()][other.length()];
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
