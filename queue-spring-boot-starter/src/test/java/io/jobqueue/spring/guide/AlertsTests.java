package io.jobqueue.spring.guide;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.jobqueue.JobHandler;
import io.jobqueue.JobQueue;
import io.jobqueue.PermanentJobException;
import io.jobqueue.Recurring;
import io.jobqueue.RetryLaterException;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The alert rules: what they ask for is what an application reports, and each has a page
 * that says what to do.
 */
class AlertsTests extends GuideApplication {

	private static final Path ALERTS = Path.of("../docs/operations/alerts.yml");

	private static final Path DASHBOARD = Path.of("../docs/operations/grafana-dashboard.json");

	private static final Pattern METER = Pattern.compile("jobqueue_[a-z_]+");

	private static final Pattern NAME = Pattern.compile("`([^`]+)`");

	private static List<Map<String, Object>> rules;

	@BeforeAll
	@SuppressWarnings("unchecked")
	static void read() throws Exception {
		Map<String, Object> file = new Yaml().load(Files.readString(ALERTS));
		Map<String, Object> group = ((List<Map<String, Object>>) file.get("groups")).get(0);
		rules = (List<Map<String, Object>>) group.get("rules");
		assertThat(rules).hasSizeGreaterThan(10);
	}

	@Test
	@SuppressWarnings("unchecked")
	void eachAlertHasAPage() {
		Set<String> pages = new TreeSet<>();
		assertThat(rules).allSatisfy((rule) -> {
			String name = (String) rule.get("alert");
			Map<String, String> annotations = (Map<String, String>) rule.get("annotations");
			assertThat(annotations.get("summary")).as(name).isNotBlank();
			assertThat(annotations.get("runbook")).isEqualTo("docs/operations/runbook/" + name + ".md");
			assertThat((Map<String, String>) rule.get("labels")).as(name).containsKey("severity");
			assertThat(Markdown.of(annotations.get("runbook")).text()).contains("(" + name + ")", "**Look at**",
					"**Do**");
			pages.add(name + ".md");
		});
		assertThat(Path.of("../docs/operations/runbook").toFile().list()).containsExactlyInAnyOrderElementsOf(pages);
	}

	@Test
	void whatTheyAskForIsReported() throws Exception {
		try (ConfigurableApplicationContext application = start(Handlers.class, "jobqueue.sample-interval=1s",
				"jobqueue.limits.partner.running=1", "management.endpoints.web.exposure.include=prometheus")) {
			JobQueue queue = application.getBean(JobQueue.class);
			queue.enqueue("dies");
			queue.enqueue("fails");
			queue.pause("other");
			Set<String> asked = rules.stream()
				.flatMap((rule) -> METER.matcher((String) rule.get("expr")).results())
				.map(MatchResult::group)
				.collect(Collectors.toCollection(TreeSet::new));
			assertThat(METER.matcher(Files.readString(DASHBOARD)).results().map(MatchResult::group))
				.hasSizeGreaterThan(20)
				.allSatisfy((meter) -> asked.add(meter));
			// H2 has no statistics of its tables.
			asked.remove("jobqueue_table_rows");
			Awaitility.await().untilAsserted(() -> {
				String now = curl(application, "curl localhost:8080/actuator/prometheus");
				Set<String> missing = new TreeSet<>(asked);
				METER.matcher(now).results().map(MatchResult::group).forEach(missing::remove);
				assertThat(missing).as("not reported").isEmpty();
			});
			String reported = Awaitility.await()
				.until(() -> curl(application, "curl localhost:8080/actuator/prometheus"),
						(text) -> text.contains("retried"));
			assertThat(reported).contains("outcome=\"dead\"", "outcome=\"retried\"", "state=\"failing\"",
					"state=\"orphaned\"", "chore=\"prune\"");
		}
	}

	/**
	 * H2 has no statistics of its tables; what is on MySQL only is asked for elsewhere.
	 */
	@Test
	void theTableOfMetersHasEachWithItsTags() {
		Map<String, Set<String>> documented = Markdown.of("docs/operations/meters.md")
			.text()
			.lines()
			.filter((line) -> line.startsWith("| `jobqueue."))
			.map((line) -> line.split("\\|"))
			.collect(Collectors.toMap((cells) -> names(cells[1]).iterator().next(), (cells) -> names(cells[3])));
		documented.keySet().removeIf((name) -> name.startsWith("jobqueue.table."));
		try (ConfigurableApplicationContext application = start(Handlers.class, "jobqueue.sample-interval=1s",
				"jobqueue.limits.partner.running=1", "jobqueue.observation.enabled=false")) {
			application.getBean(JobQueue.class).enqueue("fails");
			application.getBean(JobQueue.class).enqueue("dies");
			MeterRegistry registry = application.getBean(MeterRegistry.class);
			Awaitility.await().untilAsserted(() -> {
				Map<String, Set<String>> reported = new TreeMap<>();
				for (Meter meter : registry.getMeters()) {
					Set<String> tags = meter.getId().getTags().stream().map(Tag::getKey).collect(Collectors.toSet());
					reported.put(meter.getId().getName(), tags);
				}
				reported.keySet().removeIf((name) -> !name.startsWith("jobqueue."));
				assertThat(reported).containsExactlyInAnyOrderEntriesOf(documented);
			});
		}
	}

	private static Set<String> names(String cell) {
		return NAME.matcher(cell).results().map((name) -> name.group(1)).collect(Collectors.toSet());
	}

	/**
	 * While the queues are measured all the time.
	 */
	@Test
	void noScrapeFails() throws Exception {
		try (ConfigurableApplicationContext application = start(Handlers.class, "jobqueue.sample-interval=1ms",
				"jobqueue.limits.partner.running=1", "management.endpoints.web.exposure.include=prometheus")) {
			for (int i = 0; i < 1_000; i++) {
				assertThat(curl(application, "curl localhost:8080/actuator/prometheus")).isNotEmpty();
			}
		}
	}

	@Configuration(proxyBeanMethods = false)
	static class Handlers {

		@JobHandler("dies")
		void die() {
			throw new PermanentJobException("It cannot be done");
		}

		@JobHandler("fails")
		void fail() {
			throw new RetryLaterException(Duration.ofMinutes(1));
		}

		@Recurring(every = "1h")
		@JobHandler("hourly")
		void beat() {
			received.add("beat");
		}

	}

}
