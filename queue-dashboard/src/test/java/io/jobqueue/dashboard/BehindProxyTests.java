package io.jobqueue.dashboard;

import java.nio.charset.StandardCharsets;

import io.jobqueue.JobQueue;
import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.test.TestDatabase;
import io.jobqueue.test.TestSchema;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * The pages behind a proxy with a prefix of its own, with two nodes of one database.
 */
class BehindProxyTests {

	private static final String[] PAGES = { "overview", "history", "queues", "jobs", "jobs?state=dead", "causes",
			"schedules", "limits", "keys", "workers", "operations", "audit" };

	/** What an older version has not got, and what a newer one would have in addition. */
	private static final RoundRobin.Version OTHER = (path, answer) -> {
		if (path.contains("/api/v1/history")) {
			return new RoundRobin.Answer(404, new byte[0]);
		}
		if (!path.contains("/api/")) {
			return answer;
		}
		String other = answer.text()
			.replaceAll("\"traceId\":(null|\"[^\"]*\"),", "")
			.replaceAll("\"startedPerMinute\":[0-9.]+", "\"unheardOf\":{\"of\":[]}");
		return new RoundRobin.Answer(answer.status(), other.getBytes(StandardCharsets.UTF_8));
	};

	private static TestSchema schema;

	private static TestApplication first;

	private static TestApplication second;

	private static long dead;

	@BeforeAll
	static void open() {
		assumeTrue(Chromium.isThere(), "!!!! no chromium and chromedriver on the PATH: proxies are not tested");
		assumeTrue(TestDatabase.MYSQL.isAvailable(), TestDatabase.MYSQL::whyNot);
		schema = TestDatabase.MYSQL.create();
		first = node();
		second = node();
		JobQueue queue = first.bean(JobQueue.class);
		dead = queue.enqueue(NewJob.of("picky", "odd"));
		Awaitility.await().until(() -> queue.find(dead).orElseThrow().state() == JobState.DEAD);
	}

	private static TestApplication node() {
		return TestApplication.open(DataTests.Shop.class, "spring.datasource.url=" + schema.jdbcUrl(),
				"spring.datasource.username=" + schema.username(), "spring.datasource.password=" + schema.password(),
				"server.forward-headers-strategy=framework", "jobqueue.limits.partner.running=2");
	}

	@AfterAll
	static void close() {
		if (second != null) {
			second.close();
		}
		if (first != null) {
			first.close();
		}
		if (schema != null) {
			schema.close();
		}
	}

	@Test
	void everythingIsFoundUnderAPrefix() throws Exception {
		try (RoundRobin proxy = new RoundRobin("/ops/shop", new RoundRobin.Node(first, RoundRobin.Version.THIS));
				Chromium chromium = Chromium.open()) {
			// Without a slash at its end, too.
			chromium.driver().get(proxy.uri("/jobqueue").toString());
			chromium.loaded();
			for (String page : PAGES) {
				chromium.open(proxy.uri("/jobqueue/"), page);
			}
			redrive(proxy, chromium);
			assertThat(chromium.complaints()).isEmpty();
		}
	}

	@Test
	void nodesOfTwoVersionsAnswerInTurn() throws Exception {
		try (RoundRobin proxy = new RoundRobin("", new RoundRobin.Node(first, RoundRobin.Version.THIS),
				new RoundRobin.Node(second, OTHER), new RoundRobin.Node(second, OTHER));
				Chromium chromium = Chromium.open()) {
			for (int round = 0; round < 3; round++) {
				for (String page : PAGES) {
					chromium.open(proxy.uri("/jobqueue/"), page);
				}
			}
			redrive(proxy, chromium);
			assertThat(chromium.complaints()).allMatch((complaint) -> complaint.contains("/history"));
		}
	}

	private static void redrive(RoundRobin proxy, Chromium chromium) {
		chromium.open(proxy.uri("/jobqueue/"), "job?id=" + dead);
		chromium.click("Redrive");
		chromium.confirm();
		chromium.shows("Redriven");
		JobQueue queue = first.bean(JobQueue.class);
		Awaitility.await().until(() -> queue.find(dead).orElseThrow().state() == JobState.DEAD);
	}

}
