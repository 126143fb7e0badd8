package io.jobqueue.spring.autoconfigure;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.convert.DurationStyle;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What an editor knows of the properties.
 */
class MetadataTests {

	private final Map<String, JsonNode> properties = new TreeMap<>();

	private final Map<String, List<String>> hints = new TreeMap<>();

	@BeforeEach
	void read() throws IOException {
		JsonMapper mapper = new JsonMapper();
		for (URL file : Collections
			.list(getClass().getClassLoader().getResources("META-INF/spring-configuration-metadata.json"))) {
			try (InputStream in = file.openStream()) {
				JsonNode metadata = mapper.readTree(in);
				metadata.path("properties").forEach((property) -> {
					if (property.path("name").asString().startsWith("jobqueue.")) {
						this.properties.put(property.path("name").asString(), property);
					}
				});
				metadata.path("hints").forEach((hint) -> {
					List<String> values = new ArrayList<>();
					hint.path("values").forEach((value) -> values.add(value.path("value").asString()));
					this.hints.put(hint.path("name").asString(), values);
				});
			}
		}
		assertThat(this.properties).hasSizeGreaterThan(30);
	}

	@Test
	void eachPropertyHasADescriptionAndADefault() {
		assertThat(this.properties).allSatisfy((name, property) -> {
			assertThat(property.path("description").asString("")).as(name).isNotBlank();
			if (!List.of("jobqueue.queues", "jobqueue.limits", "jobqueue.dashboard", "jobqueue.observation.enabled")
				.contains(name)) {
				assertThat(property.has("defaultValue")).as("default of " + name).isTrue();
			}
		});
		assertThat(this.properties).containsKeys("jobqueue.worker.name", "jobqueue.worker.queues",
				"jobqueue.worker.virtual-threads", "jobqueue.queues", "jobqueue.limits", "jobqueue.metrics.max-queues");
	}

	@Test
	void eachDurationHasHintsThatAreDurations() {
		this.properties.values()
			.stream()
			.filter((property) -> property.path("type").asString("").equals("java.time.Duration"))
			.map((property) -> property.path("name").asString())
			.forEach((name) -> assertThat(this.hints).as("hints of " + name).containsKey(name));
		this.hints.forEach((name, values) -> {
			JsonNode property = this.properties.get(name);
			if (property != null && property.path("type").asString("").equals("java.time.Duration")) {
				assertThat(values).allSatisfy((value) -> DurationStyle.detectAndParse(value));
			}
		});
	}

	@Test
	void eachHintIsOfAPropertyThatExists() {
		assertThat(this.hints.keySet()).filteredOn((name) -> name.startsWith("jobqueue."))
			.allSatisfy((name) -> assertThat(this.properties).containsKey(name.replaceAll("\\.(keys|values)$", "")));
	}

	@Test
	void theTableInTheDocumentsHasEachPropertyAndItsDefault() throws IOException {
		Map<String, String> documented = new TreeMap<>();
		Files.readAllLines(Path.of("../docs/properties.md"))
			.stream()
			.filter((line) -> line.startsWith("| `jobqueue."))
			.map((line) -> line.split("\\|"))
			.forEach((cells) -> documented.put(cells[1].strip().replace("`", ""), cells[2].strip()));
		Set<String> ofMaps = Set.of("jobqueue.queues", "jobqueue.limits", "jobqueue.dashboard");
		assertThat(documented.keySet()).filteredOn((name) -> !name.contains("<name>"))
			.containsExactlyInAnyOrderElementsOf(
					this.properties.keySet().stream().filter((name) -> !ofMaps.contains(name)).toList());
		documented.forEach((name, value) -> {
			if (value.startsWith("`") && this.properties.containsKey(name)) {
				assertThat("`" + this.properties.get(name).path("defaultValue").asString("") + "`").as(name)
					.contains(value.replace("`", ""));
			}
		});
	}

	/**
	 * So that the table of the bill of materials is not forgotten when a module is added.
	 */
	@Test
	void theBillOfMaterialsHasEachModuleThatIsPublished() throws IOException {
		Set<String> ownUse = Set.of("queue-bom", "queue-sample-app", "queue-benchmark", "queue-proxy-tests",
				"queue-neighbour-tests");
		String parent = Files.readString(Path.of("../pom.xml"));
		List<String> modules = Pattern.compile("<module>([\\w-]+)</module>")
			.matcher(parent)
			.results()
			.map((match) -> match.group(1))
			.filter((module) -> !ownUse.contains(module))
			.toList();
		String versions = Files.readString(Path.of("../queue-bom/pom.xml"));
		assertThat(versions.substring(versions.indexOf("<dependencyManagement>"))).contains(modules);
		assertThat(versions).contains("<version>" + versionOf(parent) + "</version>");
	}

	private static String versionOf(String pom) {
		return pom.substring(pom.indexOf("<version>") + 9, pom.indexOf("</version>"));
	}

}
