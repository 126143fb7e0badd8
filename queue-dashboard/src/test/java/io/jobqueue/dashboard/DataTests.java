package io.jobqueue.dashboard;

import java.net.http.HttpResponse;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import io.jobqueue.JobHandler;
import io.jobqueue.JobQueue;
import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.OnDead;
import io.jobqueue.PermanentJobException;
import io.jobqueue.Recurring;
import io.jobqueue.history.HistoryWriter;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/**
 * What the page asks for, and does.
 */
class DataTests {

	private static final String RULE = "{\"running\":1,\"starts\":0,\"perMillis\":1000,\"burst\":1}";

	private static TestApplication application;

	private static JobQueue queue;

	@BeforeAll
	static void start() {
		application = TestApplication.open(Shop.class, "jobqueue.limits.partner.running=2");
		queue = application.bean(JobQueue.class);
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@Test
	void aDeadJobIsFoundByItsCauseAndRedrivenWithAnotherPayload() throws Exception {
		long id = queue.enqueue("picky", "order 4711 is odd");
		await(id, JobState.DEAD);
		assertThat(application.<List<String>>read("/causes", "$[*].message")).contains("order # is odd");
		List<String> causes = application.read("/causes", "$[?(@.message == 'order # is odd')].id");
		assertThat(application.<List<String>>read("/jobs?state=dead&cause=" + causes.get(0), "$.jobs[*].id"))
			.containsExactly(Long.toString(id));
		assertThat(application.<String>read("/jobs/" + id, "$.payload")).isEqualTo("\"order 4711 is odd\"");
		assertThat(application.<String>read("/jobs/" + id, "$.errors[0].stackTrace")).contains("Handlers.picky");
		String edit = "{\"id\":\"" + id + "\",\"before\":\"%s\",\"payload\":\"\\\"fine\\\"\"}";
		assertThat(application.act("/jobs/edit", edit.formatted("seen by nobody")).body()).contains("\"changed\":0");
		assertThat(application.act("/jobs/edit", edit.formatted("\\\"order 4711 is odd\\\"")).body())
			.contains("\"changed\":1");
		await(id, JobState.SUCCEEDED);
	}

	@Test
	void whatIsMaskedIsNotWrittenBack() throws Exception {
		try (TestApplication masked = TestApplication.open(Masking.class, "jobqueue.worker.enabled=false")) {
			long shown = masked.bean(JobQueue.class).enqueue("any", "plain");
			long secret = masked.bean(JobQueue.class).enqueue("any", "card 4111");
			long broken = masked.bean(JobQueue.class).enqueue("any", "broken");
			assertThat(masked.<String>read("/jobs/" + shown, "$.payloadShown")).isEqualTo("whole");
			assertThat(masked.<String>read("/jobs/" + secret, "$.payload")).isEqualTo("\"card ***\"");
			assertThat(masked.<String>read("/jobs/" + secret, "$.payloadShown")).isEqualTo("masked");
			assertThat(masked.<String>read("/jobs/" + broken, "$.payload")).isNull();
			assertThat(masked.<String>read("/jobs/" + broken, "$.payloadShown")).isEqualTo("failed");
			for (long id : new long[] { secret, broken }) {
				assertThat(masked.act("/jobs/edit", "{\"id\":\"" + id + "\",\"payload\":\"1\"}").body())
					.contains("only by those who see it as it is");
			}
			assertThat(masked.act("/jobs/edit", "{\"id\":\"" + shown + "\",\"payload\":\"1\"}").statusCode())
				.isEqualTo(200);
		}
	}

	@Configuration(proxyBeanMethods = false)
	static class Masking {

		@Bean
		PayloadMasker masker() {
			return (job) -> {
				if (job.payload().contains("broken")) {
					throw new IllegalArgumentException("broken, and a secret");
				}
				return job.payload().replaceAll("[0-9]+", "***");
			};
		}

	}

	@Test
	void aFilterThatNobodyKnowsIsRefused() throws Exception {
		for (String path : List.of("/jobs", "/jobs/count")) {
			HttpResponse<String> answer = application.get("/jobqueue/api/v1" + path + "?state=dead&typ=picky");
			assertThat(answer.statusCode()).isEqualTo(400);
			assertThat(answer.body()).contains("There is no parameter typ");
		}
	}

	@Test
	void aScheduleThatNodesDeclareIsNotRemoved() throws Exception {
		assertThat(application.act("/schedules/remove", "{\"name\":\"nightly\"}").body())
			.contains("is declared in code");
		assertThat(application.<List<String>>read("/schedules", "$.schedules[*].name")).contains("nightly");
	}

	@Test
	void answersSayWhatTimeTheDatabaseHasAndHowOldTheyAre() throws Exception {
		HttpResponse<String> queues = application.get("/jobqueue/api/v1/queues");
		assertThat(queues.headers().firstValue("Age")).hasValueSatisfying((age) -> assertThat(age).matches("\\d"));
		assertThat(queues.headers().firstValue("Database-Time")).hasValueSatisfying(
				(time) -> assertThat(Instant.parse(time)).isCloseTo(Instant.now(), within(1, ChronoUnit.MINUTES)));
	}

	@Test
	void aTimeThatNoDatabaseKnowsIsRefused() throws Exception {
		for (String time : new String[] { "-1000000000-01-01T00:00:00Z", "%2B100000-01-01T00:00:00Z",
				"1969-12-31T23:59:59Z" }) {
			assertThat(application.get("/jobqueue/api/v1/jobs?state=dead&from=" + time).statusCode()).isEqualTo(400);
		}
	}

	@Test
	void whatWasNotCountedYetIsNotShownAsNone() throws Exception {
		try (TestApplication fresh = TestApplication.open(TestApplication.Nothing.class,
				"jobqueue.sample-interval=1h")) {
			Awaitility.await()
				.untilAsserted(() -> assertThat(fresh.<String>read("/overview", "$.archivedAt")).isNotNull());
			assertThat(fresh.<Integer>read("/overview", "$.counts.dead")).isZero();
		}
	}

	@Test
	void manyAreRedrivenInTheBackground() throws Exception {
		Shop.broken.set(true);
		List<Long> ids = queue.enqueueAll(List.of(NewJob.of("charge", 1), NewJob.of("charge", 2)));
		ids.forEach((id) -> await(id, JobState.DEAD));
		Shop.broken.set(false);
		assertThat(application.<Integer>read("/jobs/count?state=dead&type=charge", "$.jobs")).isEqualTo(2);
		assertThat(application.act("/operations/redrive", "{\"state\":\"dead\",\"type\":\"charge\"}").body())
			.contains("\"action\":\"redrive\"");
		ids.forEach((id) -> await(id, JobState.SUCCEEDED));
		assertThat(application.<List<Integer>>read("/operations", "$[?(@.filter.type == 'charge')].changed"))
			.containsExactly(2);
	}

	@Test
	void queuesSchedulesLimitsKeysAndWorkersAreShown() throws Exception {
		long head = queue.enqueue(NewJob.of("ordered", "odd").orderKey("key-1"));
		long next = queue.enqueue(NewJob.of("ordered", "fine").orderKey("key-1"));
		await(head, JobState.DEAD);
		Awaitility.await()
			.untilAsserted(
					() -> assertThat(application.<List<String>>read("/blocked-keys", "$[*].key")).contains("key-1"));
		assertThat(application.<String>read("/jobs/" + next, "$.job.waitingFor.kind")).isEqualTo("blocked");
		String unblock = "{\"key\":\"key-1\",\"job\":\"%d\"}";
		assertThat(application.act("/blocked-keys/unblock", unblock.formatted(next)).body()).as("it blocks nothing")
			.contains("\"changed\":0");
		assertThat(application.act("/blocked-keys/unblock", unblock.formatted(head)).body()).contains("\"changed\":1");
		await(next, JobState.SUCCEEDED);
		assertThat(application.<List<String>>read("/schedules", "$.schedules[*].name")).contains("nightly");
		assertThat(application.<List<String>>read("/schedules/ticks?name=nightly", "$")).hasSize(10);
		assertThat(application.act("/schedules/trigger", "{\"name\":\"nightly\"}").body()).contains("\"changed\":1");
		assertThat(application.<List<Integer>>read("/limits", "$[*].running")).containsExactly(2);
		String change = "{\"name\":\"partner\",\"before\":%s,\"after\":%s}".formatted(rule(2), rule(3));
		assertThat(application.act("/limits/change", change).body()).contains("\"changed\":1");
		assertThat(application.act("/limits/change", change).body()).as("somebody else has changed it")
			.contains("\"changed\":0");
		assertThat(application.<List<Integer>>read("/limits", "$[*].running")).containsExactly(3);
		assertThat(application.<List<Integer>>read("/workers", "$[*].slots")).hasSize(1);
	}

	@Test
	void aQueueIsPausedAndItsJobsWaitAndAreCancelled() throws Exception {
		assertThat(application.act("/queues/pause", "{\"queue\":\"slow\"}").body()).as("nobody knows it yet")
			.contains("No queue 'slow' was known");
		assertThat(application.act("/queues/pause", "{\"queue\":\"slow\"}").body()).contains("\"note\":null");
		long id = queue.enqueue(NewJob.of("charge", 3).queue("slow"));
		Awaitility.await()
			.untilAsserted(() -> assertThat(
					application.<List<Boolean>>read("/overview", "$.queues[?(@.name == 'slow')].paused"))
				.containsExactly(true));
		assertThat(application.<List<String>>read("/jobs?queue=slow", "$.jobs[*].id"))
			.containsExactly(Long.toString(id));
		assertThat(application.<List<String>>read("/jobs/" + id, "$.reasons")).contains("Its queue is paused.");
		String reschedule = "{\"id\":\"" + id + "\",\"before\":\""
				+ application.<String>read("/jobs/" + id, "$.job.availableAt") + "\",\"at\":\"2099-01-01T00:00:00Z\"}";
		assertThat(application.act("/jobs/reschedule", reschedule).body()).contains("\"changed\":1");
		assertThat(application.act("/jobs/reschedule", reschedule).body()).as("somebody else was first")
			.contains("\"changed\":0");
		String cancel = "{\"id\":\"" + id + "\",\"state\":\"%s\"}";
		assertThat(application.act("/jobs/cancel", cancel.formatted("running")).body()).as("it does not run")
			.contains("\"changed\":0");
		assertThat(application.act("/jobs/cancel", cancel.formatted("ready")).body()).contains("\"changed\":1");
		assertThat(application.<String>read("/jobs/" + id, "$.job.state")).isEqualTo("cancelled");
		assertThat(application.<List<String>>read("/audit", "$.entries[*].source")).contains("page");
	}

	@Test
	void whatHappenedIsShown() throws Exception {
		long id = queue.enqueue(NewJob.of("charge", 5).queue("told"));
		await(id, JobState.SUCCEEDED);
		Awaitility.await().untilAsserted(() -> {
			application.bean(HistoryWriter.class).write();
			assertThat(application.bean(JdbcTemplate.class)
				.queryForObject("SELECT SUM(succeeded) FROM jobqueue_history WHERE queue = 'told'", Long.class))
				.isEqualTo(1);
		});
		// Only minutes that are over are shown.
		application.bean(JdbcTemplate.class)
			.update("UPDATE jobqueue_history SET at_minute = at_minute - 2 WHERE queue = 'told'");
		assertThat(application.<List<Integer>>read("/history?queue=told", "$.points[*].succeeded")).hasSize(60)
			.contains(1);
		assertThat(application.<List<Integer>>read("/history?range=day&type=charge", "$.points[*].started"))
			.hasSize(144);
		assertThat(application.<List<String>>read("/history?queue=told", "$.sums[*].type")).containsExactly("charge");
		assertThat(application.<List<Double>>read("/history?queue=told", "$.sums[*].ran.p95")).hasSize(1)
			.doesNotContainNull();
		assertThat(application.<Boolean>read("/history", "$.recorded")).isTrue();
	}

	@Test
	void aJobIsFoundByItsUniqueKey() throws Exception {
		long id = queue.enqueue(NewJob.of("charge", 4).uniqueKey("order/4 &?"));
		assertThat(application.<String>read("/jobs/by-key?type=charge&key=order%2F4%20%26%3F", "$.job.id"))
			.isEqualTo(Long.toString(id));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"',
			value = { "/jobs?state=none|There is no state", "/jobs/x|A job's id is a number",
					"/jobs?from=yesterday|A time is written as", "/jobs?after=nonsense|", "/queues?page=-1|A page is",
					"/jobs?queue=a%20b|", "/history?queue=a%20b|", "/history?range=year|A range is",
					"/jobs?cause=1|Only dead jobs", "/schedules/ticks|'name' is missing", "/schedules/ticks?name=none|",
					"/audit?before=x|is a number" })
	void whatCannotBeMeantIsRefusedWithTheReason(String path, String reason) throws Exception {
		var answer = application.get("/jobqueue/api/v1" + path);
		assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
		assertThat(answer.body()).contains("\"error\":").contains((reason != null) ? reason : "");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			value = { "/queues/pause|{}", "/queues/pause|{", "/queues/pause|[]", "/queues/pause|null",
					"/queues/pause|{\"queue\":\"a b\"}", "/jobs/cancel|{\"id\":\"x\",\"state\":\"ready\"}",
					"/jobs/cancel|{}", "/jobs/cancel|{\"id\":\"1\"}", "/jobs/cancel|{\"id\":\"1\",\"state\":\"dead\"}",
					"/blocked-keys/unblock|{\"key\":\"a\"}", "/jobs/reschedule|{\"id\":\"1\"}",
					"/operations/cancel|{\"state\":\"ready\"}", "/operations/redrive|{\"state\":\"ready\"}",
					"/limits/change|{\"name\":\"none\",\"running\":1}",
					"/limits/change|{\"name\":\"none\",\"before\":" + RULE + ",\"after\":" + RULE + "}",
					"/limits/change|{\"name\":\"partner\",\"after\":" + RULE + "}",
					"/limits/change|{\"name\":\"partner\",\"before\":" + RULE
							+ ",\"after\":{\"running\":-1,\"starts\":0,\"perMillis\":1000,\"burst\":1}}",
					"/schedules/trigger|{\"name\":\"none\"}" })
	void anActionThatCannotBeMeantIsRefused(String path, String body) throws Exception {
		var answer = application.act(path, body);
		assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
		assertThat(answer.body()).contains("\"error\":");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', value = { "/queues/pause|{\"x\":1}|There is no field 'x'; there are [queue]",
			"/limits/change|{\"name\":\"partner\",\"before\":{\"running\":null}}|the field 'before.running' is missing",
			"/queues/pause|{\"queue\":[]}|the field 'queue'", "/queues/pause|[]|it is to be an object",
			"/queues/pause|{|is no JSON" })
	void aRequestThatCannotBeReadIsToldWhy(String path, String body, String why) throws Exception {
		assertThat(application.act(path, body).body()).contains(why).doesNotContain("io.jobqueue");
	}

	private static String rule(int running) {
		return RULE.replace("\"running\":1", "\"running\":" + running);
	}

	private static void await(long id, JobState state) {
		Awaitility.await().until(() -> queue.find(id).orElseThrow().state() == state);
	}

	@Configuration(proxyBeanMethods = false)
	static class Shop {

		static final AtomicBoolean broken = new AtomicBoolean();

		@Bean
		Handlers handlers() {
			return new Handlers();
		}

	}

	static class Handlers {

		@JobHandler("picky")
		void picky(String text) {
			if (text.contains("odd")) {
				throw new PermanentJobException(text);
			}
		}

		@JobHandler(value = "ordered", onDead = OnDead.BLOCK)
		void ordered(String text) {
			picky(text);
		}

		@JobHandler(value = "charge", maxAttempts = 1, limit = "partner")
		void charge(int amount) {
			if (Shop.broken.get()) {
				throw new IllegalStateException("The gateway is broken");
			}
		}

		@Recurring(name = "nightly", cron = "0 0 2 * * *")
		@JobHandler("nightly")
		void nightly() {
		}

	}

}
