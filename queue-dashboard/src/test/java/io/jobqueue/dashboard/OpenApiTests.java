package io.jobqueue.dashboard;

import java.io.IOException;
import java.io.Reader;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.jobqueue.JobFilter;
import io.jobqueue.JobQueue;
import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.Operations;
import io.jobqueue.dashboard.web.DashboardMapping;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What {@code docs/dashboard-api.yaml} says of the data is so: the paths, and each field
 * of each answer.
 */
class OpenApiTests {

	private static final Pattern ROUTE = Pattern.compile("\\((GET|POST) && (/[^)]*)\\)");

	private static final JsonMapper JSON = new JsonMapper();

	private static TestApplication application;

	private static Map<String, Object> api;

	private static long dead;

	private static long operation;

	@BeforeAll
	static void start() throws IOException {
		try (Reader file = Files.newBufferedReader(Path.of("..", "docs", "dashboard-api.yaml"))) {
			api = new Yaml().load(file);
		}
		application = TestApplication.open(DataTests.Shop.class, "jobqueue.limits.partner.running=2");
		JobQueue queue = application.bean(JobQueue.class);
		queue.enqueue(NewJob.of("ordered", "odd").orderKey("key"));
		queue.enqueue(NewJob.of("ordered", "fine").orderKey("key"));
		dead = queue.enqueue(NewJob.of("picky", "odd").uniqueKey("unique"));
		Awaitility.await().until(() -> queue.find(dead).orElseThrow().state() == JobState.DEAD);
		operation = application.bean(Operations.class).redrive(JobFilter.of(JobState.DEAD).type("picky")).id();
		Awaitility.await()
			.untilAsserted(() -> assertThat(application.<List<String>>read("/blocked-keys", "$[*].key")).isNotEmpty());
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@Test
	void everyPathIsInTheFileAndNoOther() {
		Set<String> routes = new TreeSet<>();
		Matcher found = ROUTE.matcher(String.valueOf(application.bean(DashboardMapping.class).getRouterFunction()));
		while (found.find()) {
			if (!found.group(2).startsWith("/jobqueue")) {
				routes.add(found.group(1).toLowerCase(Locale.ROOT) + " " + found.group(2));
			}
		}
		Set<String> documented = new TreeSet<>();
		map(api.get("paths"))
			.forEach((path, methods) -> map(methods).keySet().forEach((method) -> documented.add(method + " " + path)));
		assertThat(routes).hasSizeGreaterThan(30).isEqualTo(documented);
	}

	@Test
	void everyFieldOfEachAnswerIsInTheFile() throws Exception {
		List<String> wrong = new ArrayList<>();
		for (Map.Entry<String, Object> path : map(api.get("paths")).entrySet()) {
			Object get = map(path.getValue()).get("get");
			if (get != null) {
				HttpResponse<String> answer = application.get("/jobqueue/api/v1" + example(path.getKey()));
				assertThat(answer.statusCode()).as(path.getKey() + ": " + answer.body()).isEqualTo(200);
				Object ok = map(map(get).get("responses")).get("200");
				Object schema = map(map(map(ok).get("content")).get("application/json")).get("schema");
				compare(path.getKey(), JSON.readValue(answer.body(), Object.class), map(schema), wrong);
			}
		}
		assertThat(wrong).isEmpty();
	}

	private static String example(String path) {
		return switch (path) {
			case "/jobs/{id}" -> "/jobs/" + dead;
			case "/operations/{id}" -> "/operations/" + operation;
			case "/jobs/by-key" -> "/jobs/by-key?type=picky&key=" + URLEncoder.encode("unique", StandardCharsets.UTF_8);
			case "/schedules/ticks" -> "/schedules/ticks?name=nightly";
			default -> path;
		};
	}

	private static void compare(String where, @Nullable Object value, Map<String, Object> schema, List<String> wrong) {
		if (schema.get("$ref") instanceof String reference) {
			String name = reference.substring(reference.lastIndexOf('/') + 1);
			compare(where, value, map(map(map(api.get("components")).get("schemas")).get(name)), wrong);
		}
		else if (schema.get("oneOf") instanceof List<?> choices) {
			if (value != null) {
				compare(where, value, map(choices.get(0)), wrong);
			}
		}
		else if (!types(schema).contains(typeOf(value, schema))) {
			wrong.add(where + " is " + value + ", and not " + types(schema));
		}
		else if (value instanceof List<?> list) {
			list.forEach((element) -> compare(where + "[]", element, map(schema.get("items")), wrong));
		}
		else if (value instanceof Map<?, ?> && schema.get("properties") != null) {
			compareFields(where, map(value), map(schema.get("properties")), wrong);
		}
	}

	private static void compareFields(String where, Map<String, Object> object, Map<String, Object> properties,
			List<String> wrong) {
		if (!object.keySet().equals(properties.keySet())) {
			wrong.add(where + " has " + object.keySet() + ", and not " + properties.keySet());
			return;
		}
		object.forEach((name, value) -> compare(where + "." + name, value, map(properties.get(name)), wrong));
	}

	private static List<?> types(Map<String, Object> schema) {
		return (schema.get("type") instanceof List<?> many) ? many : List.of(schema.get("type"));
	}

	private static String typeOf(@Nullable Object value, Map<String, Object> schema) {
		if (value == null) {
			return "null";
		}
		if (value instanceof Number) {
			// A whole number is a number too.
			boolean whole = value instanceof Integer || value instanceof Long;
			return (whole && types(schema).contains("integer")) ? "integer" : "number";
		}
		return (value instanceof String) ? "string"
				: (value instanceof Boolean) ? "boolean" : (value instanceof List) ? "array" : "object";
	}

	@SuppressWarnings("unchecked")
	private static Map<String, Object> map(@Nullable Object value) {
		assertThat(value).isInstanceOf(Map.class);
		return (Map<String, Object>) value;
	}

}
