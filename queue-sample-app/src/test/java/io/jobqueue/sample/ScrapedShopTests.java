package io.jobqueue.sample;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

import io.jobqueue.test.TestDatabase;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * A real Prometheus scrapes the shop with its day of traffic: each query of the dashboard
 * for Grafana has data, and each alert rule can be evaluated.
 */
class ScrapedShopTests {

	private static final Path ALERTS = Path.of("../docs/operations/alerts.yml");

	private static final Path DASHBOARD = Path.of("../docs/operations/grafana-dashboard.json");

	@TempDir
	private Path directory;

	@BeforeEach
	void prometheusIsThere() {
		assumeTrue(Prometheus.isAvailable(), Prometheus::whyNot);
	}

	@Test
	void theAlertRulesAreRules() throws Exception {
		Prometheus.check(this.directory, "check", "rules", ALERTS.toString());
	}

	@Test
	void eachQueryHasData() throws Exception {
		assumeTrue(TestDatabase.MYSQL.isAvailable(), TestDatabase.MYSQL::whyNot);
		Map<String, String> queries = queries();
		assertThat(queries).hasSizeGreaterThan(20);
		try (RunningShop shop = new RunningShop(TestDatabase.MYSQL, "--spring.profiles.active=demo");
				Prometheus prometheus = new Prometheus(this.directory, ALERTS, shop.port())) {
			Awaitility.await().atMost(Duration.ofMinutes(2)).untilAsserted(() -> {
				Map<String, String> empty = new TreeMap<>(queries);
				empty.values().removeIf((expression) -> !prometheus.query(expression).isEmpty());
				assertThat(empty).as("queries without data").isEmpty();
			});
			assertThat(prometheus.rules()).hasSizeGreaterThan(10)
				.allSatisfy((rule, health) -> assertThat(health).as(rule).isEqualTo("ok"));
		}
	}

	/** The queries by panel, as Grafana asks them when all queues are chosen. */
	private static Map<String, String> queries() throws IOException {
		Map<String, String> queries = new TreeMap<>();
		collect(JsonMapper.builder().build().readTree(Files.readString(DASHBOARD)), queries);
		return queries;
	}

	private static void collect(JsonNode panel, Map<String, String> queries) {
		for (JsonNode inner : panel.path("panels").values()) {
			int number = 0;
			for (JsonNode target : inner.path("targets").values()) {
				queries.put(inner.path("title").asString() + " " + ++number,
						target.path("expr").asString().replace("$queue", ".*").replace("$__rate_interval", "10s"));
			}
			collect(inner, queries);
		}
	}

}
