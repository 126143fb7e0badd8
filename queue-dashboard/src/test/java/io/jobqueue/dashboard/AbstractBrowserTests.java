package io.jobqueue.dashboard;

import java.net.URI;
import java.util.List;

import io.jobqueue.JobQueue;
import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.test.TestDatabase;
import io.jobqueue.test.TestSchema;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * What the tests have in common that look at the pages of one application in a real
 * browser, on a real MySQL: whatever a script complains about fails the test.
 */
abstract class AbstractBrowserTests {

	static final String MARKUP = "<img src=x onerror=\"window.hacked=1\"><script>window.hacked=1</script>";

	static final String REVERSED = "\u202Etxt.exe\u0007";

	static TestSchema schema;

	static TestApplication application;

	static JobQueue queue;

	static Chromium chromium;

	static URI dashboard;

	static long dead;

	@BeforeAll
	static void open() {
		assumeTrue(Chromium.isThere(), "!!!! no chromium and chromedriver on the PATH: the pages are not tested");
		assumeTrue(TestDatabase.MYSQL.isAvailable(), TestDatabase.MYSQL::whyNot);
		schema = TestDatabase.MYSQL.create();
		application = TestApplication.open(DataTests.Shop.class, "spring.datasource.url=" + schema.jdbcUrl(),
				"spring.datasource.username=" + schema.username(), "spring.datasource.password=" + schema.password(),
				"jobqueue.limits.partner.running=2", "server.servlet.context-path=/shop",
				"jobqueue.worker.queues=default,mail,slow,live");
		dashboard = application.uri("/jobqueue/");
		queue = application.bean(JobQueue.class);
		dead = queue.enqueue(NewJob.of("picky", "odd " + MARKUP + REVERSED).uniqueKey(MARKUP));
		queue.enqueue(NewJob.of("ordered", "odd " + MARKUP).orderKey(MARKUP + REVERSED));
		queue.enqueue(NewJob.of("ordered", "fine").orderKey(MARKUP + REVERSED));
		queue.enqueueAll(List.of(NewJob.of("charge", 1), NewJob.of("charge", 2)));
		queue.enqueue(NewJob.of("nobody", MARKUP)
			.queue("a-queue-with-a-name-that-is-as-long-as-names-may-be-and-breaks-lines".substring(0, 64)));
		Awaitility.await().until(() -> queue.find(dead).orElseThrow().state() == JobState.DEAD);
		chromium = Chromium.open();
	}

	@AfterAll
	static void close() {
		if (chromium != null) {
			chromium.close();
		}
		if (application != null) {
			application.close();
		}
		if (schema != null) {
			schema.close();
		}
	}

	@AfterEach
	void nothingIsComplainedOf() {
		assertThat(chromium.complaints()).isEmpty();
		assertThat(chromium.run("return window.hacked === undefined")).isEqualTo(true);
	}

}
