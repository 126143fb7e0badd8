package io.jobqueue.spring.actuate;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.jobqueue.JobHandler;
import com.zaxxer.hikari.HikariDataSource;
import io.jobqueue.JobQueue;
import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.PermanentJobException;
import io.jobqueue.Schedule;
import io.jobqueue.Schedules;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The endpoint, health and meters over HTTP, as an operator meets them.
 */
class JobQueueEndpointTests {

	private final HttpClient http = HttpClient.newHttpClient();

	private ConfigurableApplicationContext start(String... properties) {
		return new SpringApplicationBuilder(Application.class).web(WebApplicationType.SERVLET)
			.properties("server.port=0", "server.address=127.0.0.1", "spring.datasource.generate-unique-name=true",
					"management.endpoints.web.exposure.include=jobqueue,health,metrics",
					"management.endpoint.health.show-details=always", "jobqueue.sample-interval=50ms",
					"jobqueue.worker.poll-interval=100ms", "spring.main.banner-mode=off")
			.properties(properties)
			.run();
	}

	private HttpResponse<String> get(ConfigurableApplicationContext context, String path) throws Exception {
		return this.http.send(HttpRequest.newBuilder(uri(context, path)).build(), HttpResponse.BodyHandlers.ofString());
	}

	private HttpResponse<String> post(ConfigurableApplicationContext context, String path, String body)
			throws Exception {
		return this.http.send(HttpRequest.newBuilder(uri(context, path))
			.header("Content-Type", "application/json")
			.POST(HttpRequest.BodyPublishers.ofString(body))
			.build(), HttpResponse.BodyHandlers.ofString());
	}

	private static URI uri(ConfigurableApplicationContext context, String path) {
		return URI.create(
				"http://127.0.0.1:" + context.getEnvironment().getProperty("local.server.port") + "/actuator/" + path);
	}

	@Test
	void writesAreOffUntilAllowed() throws Exception {
		try (ConfigurableApplicationContext context = start()) {
			assertThat(get(context, "jobqueue").statusCode()).isEqualTo(200);
			assertThat(post(context, "jobqueue/pause", "{\"queue\":\"mail\"}").statusCode()).isEqualTo(405);
		}
	}

	@Test
	void whatOperatorsDoIsWrittenAndListed() throws Exception {
		try (ConfigurableApplicationContext context = start("management.endpoint.jobqueue.access=unrestricted")) {
			post(context, "jobqueue/pause", "{\"queue\":\"mail\"}");
			post(context, "jobqueue/cancel", "{\"id\":777}");
			assertThat(get(context, "jobqueue/audit").body()).contains("\"source\":\"ENDPOINT\"",
					"\"action\":\"pause\"", "\"target\":\"queue mail\"", "\"target\":\"job 777\"", "\"changed\":0");
		}
	}

	@Test
	void withoutTheDatabaseItAnswersWhatItKnows() throws Exception {
		try (ConfigurableApplicationContext context = start("management.endpoint.jobqueue.access=unrestricted")) {
			context.getBean(JobQueue.class).enqueue(NewJob.of("ok").queue("mail").delay(Duration.ofHours(1)));
			Awaitility.await()
				.untilAsserted(() -> assertThat(get(context, "jobqueue").body()).contains("\"delayed\":1"));
			context.getBean(HikariDataSource.class).close();
			HttpResponse<String> answer = get(context, "jobqueue");
			assertThat(answer.statusCode()).isEqualTo(503);
			assertThat(answer.body()).contains("\"delayed\":1", "\"name\":\"mail\"", "\"problem\":\"");
			assertThat(get(context, "jobqueue/7")).satisfies((one) -> assertThat(one.statusCode()).isEqualTo(503))
				.satisfies((one) -> assertThat(one.body()).contains("The database cannot be asked now"));
			assertThat(post(context, "jobqueue/pause", "{\"queue\":\"mail\"}").statusCode()).isEqualTo(503);
		}
	}

	@Test
	void anOperatorSeesAndChangesSchedules() throws Exception {
		try (ConfigurableApplicationContext context = start("management.endpoint.jobqueue.access=unrestricted")) {
			context.getBean(Schedules.class)
				.save(Schedule.every("sync", Duration.ofHours(1)).job(NewJob.of("ok").queue("low")));
			assertThat(get(context, "jobqueue/schedules").body()).contains("\"scheduleCount\":1", "\"name\":\"sync\"",
					"\"timing\":\"every PT1H\"", "\"queue\":\"low\"", "\"paused\":false", "\"next\":\"");
			assertThat(post(context, "jobqueue/pause", "{\"schedule\":\"sync\"}").body()).contains("\"changed\":1");
			assertThat(get(context, "jobqueue/schedules").body()).contains("\"paused\":true");
			assertThat(post(context, "jobqueue/trigger", "{\"schedule\":\"sync\"}").body()).contains("\"changed\":1",
					"Its job is ");
			assertThat(post(context, "jobqueue/resume", "{\"schedule\":\"sync\"}").body()).contains("\"changed\":1");
			Awaitility.await().untilAsserted(() -> {
				assertThat(get(context, "metrics/jobqueue.schedules?tag=state:all").body()).contains("\"value\":1");
				assertThat(get(context, "metrics/jobqueue.schedule.next?tag=schedule:sync").statusCode())
					.isEqualTo(200);
				assertThat(get(context, "metrics/jobqueue.blocked.keys").body()).contains("\"value\":0");
			});
			assertThat(post(context, "jobqueue/trigger", "{\"schedule\":\"none\"}"))
				.satisfies((answer) -> assertThat(answer.statusCode()).isEqualTo(400))
				.satisfies((answer) -> assertThat(answer.body()).contains("no schedule 'none'"));
			assertThat(post(context, "jobqueue/pause", "{\"schedule\":\"sync\",\"queue\":\"low\"}").body())
				.contains("takes no queue beside a schedule");
			assertThat(post(context, "jobqueue/cancel", "{\"schedule\":\"sync\"}").statusCode()).isEqualTo(400);
			assertThat(post(context, "jobqueue/remove", "{\"schedule\":\"sync\"}").body()).contains("\"changed\":1");
			assertThat(post(context, "jobqueue/remove", "{\"schedule\":\"sync\"}").body()).contains("\"changed\":0",
					"no schedule 'sync'");
		}
	}

	@Test
	void anOperatorSeesPausesRedrivesAndCancels() throws Exception {
		try (ConfigurableApplicationContext context = start("management.endpoint.jobqueue.access=unrestricted")) {
			JobQueue queue = context.getBean(JobQueue.class);
			long dead = queue.enqueue(NewJob.of("fail", "<script>secret</script>").queue("mail"));
			queue.enqueue(NewJob.of("fail").delay(Duration.ofHours(1)));
			Awaitility.await().until(() -> queue.find(dead).orElseThrow().state() == JobState.DEAD);
			Awaitility.await()
				.untilAsserted(() -> assertThat(get(context, "jobqueue").body())
					.contains("\"dead\":1", "\"ready\":0,\"delayed\":1", "not today", "\"type\":\"fail\"",
							"\"workers\":[{")
					.doesNotContain("secret"));
			assertThat(get(context, "jobqueue/" + dead).body()).contains("\"state\":\"dead\"", "not today");
			assertThat(get(context, "jobqueue/999999").statusCode()).isEqualTo(404);
			assertThat(get(context, "jobqueue/x").statusCode()).isEqualTo(400);

			assertThat(post(context, "jobqueue/pause", "{\"queue\":\"mail\"}").body()).contains("\"changed\":1");
			assertThat(get(context, "jobqueue").body()).as("at once, whatever the sample says")
				.contains("\"name\":\"mail\",\"paused\":true");
			assertThat(post(context, "jobqueue/redrive", "{\"queue\":\"not a queue\"}").statusCode()).isEqualTo(400);
			assertThat(post(context, "jobqueue/redrive", "{\"type\":\"no type!\"}").statusCode()).isEqualTo(400);
			assertThat(post(context, "jobqueue/redrive", "{\"queue\":\"mail\",\"type\":\"fail\"}").body())
				.contains("\"changed\":1");
			assertThat(queue.find(dead).orElseThrow().state()).isEqualTo(JobState.READY);
			assertThat(post(context, "jobqueue/cancel", "{\"id\":" + dead + "}").body()).contains("\"changed\":1");
			assertThat(queue.find(dead).orElseThrow().state()).isEqualTo(JobState.CANCELLED);
			assertThat(post(context, "jobqueue/resume", "{\"queue\":\"mail\"}").statusCode()).isEqualTo(200);

			assertThat(post(context, "jobqueue/pause", "{}").statusCode()).isEqualTo(400);
			assertThat(post(context, "jobqueue/pause", "{\"queue\":\"not a queue\"}").statusCode()).isEqualTo(400);
			assertThat(post(context, "jobqueue/redrive", "{}").statusCode()).isEqualTo(400);
			assertThat(post(context, "jobqueue/explode", "{}").statusCode()).isEqualTo(400);
		}
	}

	@Test
	void whatCannotBeDoneIsAnsweredByItsReason() throws Exception {
		try (ConfigurableApplicationContext context = start("management.endpoint.jobqueue.access=unrestricted")) {
			assertRefused(post(context, "jobqueue/pause", "{}"), "needs 'queue' in its JSON body");
			assertRefused(post(context, "jobqueue/pause", "{\"queue\":\"not a queue\"}"), "queue must match");
			assertRefused(post(context, "jobqueue/redrive", "{}"), "Give the id of a dead job");
			assertRefused(post(context, "jobqueue/cancel", "{}"), "Give the id of a job");
			assertRefused(post(context, "jobqueue/cancel", "{\"key\":\"a\"}"), "needs 'type'");
			assertRefused(post(context, "jobqueue/cancel", "{\"id\":\"x\"}"), "A job's id is a number");
			assertRefused(post(context, "jobqueue/reschedule", "{\"id\":1,\"at\":\"tomorrow\"}"),
					"A time is written as");
			assertRefused(post(context, "jobqueue/trigger", "{}"), "needs the name of a schedule");
			assertRefused(post(context, "jobqueue/explode", "{}"), "There is no action 'explode'");
			assertRefused(post(context, "jobqueue/explode", "{\"id\":1}"), "There is no action 'explode'");
			assertRefused(get(context, "jobqueue/x"), "A job's id is a number");
			assertRefused(get(context, "jobqueue?page=x"), "A page is a number");
			assertRefused(get(context, "jobqueue?page=-1"), "A page is a number");
			assertRefused(post(context, "jobqueue/redrive", "{\"id\":1,\"queue\":\"mail\"}"),
					"takes no queue here, only id");
			assertRefused(post(context, "jobqueue/redrive", "{\"type\":\"fail\",\"key\":\"a\"}"), "takes no key here");
			assertRefused(post(context, "jobqueue/pause", "{\"queue\":\"mail\",\"id\":1}"), "takes no id here");
			assertRefused(post(context, "jobqueue/cancel", "{\"queue\":\"mail\",\"typ\":\"fail\",\"all\":true}"),
					"There is no field typ; there are [action, all,");
		}
	}

	@Test
	void aNameThatNobodyKnowsIsSaidToBeNone() throws Exception {
		try (ConfigurableApplicationContext context = start("management.endpoint.jobqueue.access=unrestricted")) {
			JobQueue queue = context.getBean(JobQueue.class);
			queue.enqueue(NewJob.of("succeed").queue("mail").delay(Duration.ofHours(1)));
			Awaitility.await()
				.untilAsserted(
						() -> assertThat(post(context, "jobqueue/redrive", "{\"type\":\"succeed\"}").statusCode())
							.isEqualTo(200));
			for (int i = 0; i < 2; i++) {
				assertThat(post(context, "jobqueue/redrive", "{\"queue\":\"mial\"}").body()).contains("\"changed\":0",
						"There is no queue 'mial'");
				assertThat(post(context, "jobqueue/redrive", "{\"type\":\"suceed\"}").body()).contains("\"changed\":0",
						"There is no job type 'suceed'");
				assertThat(post(context, "jobqueue/resume", "{\"queue\":\"mial\"}").body()).contains("\"changed\":0",
						"There is no queue 'mial'");
			}
			assertThat(post(context, "jobqueue/redrive", "{\"queue\":\"default\"}").body()).as("though it is empty")
				.doesNotContain("note");
			assertThat(post(context, "jobqueue/redrive", "{\"queue\":\"mail\"}").body()).contains("\"changed\":0")
				.doesNotContain("note");
			assertThat(post(context, "jobqueue/pause", "{\"queue\":\"later\"}").body()).contains("\"changed\":1",
					"No queue 'later' was known");
			assertThat(post(context, "jobqueue/resume", "{\"queue\":\"later\"}").statusCode()).isEqualTo(200);
		}
	}

	@Test
	void anOperatorCancelsByKeyAndInBulkAndReschedules() throws Exception {
		try (ConfigurableApplicationContext context = start("management.endpoint.jobqueue.access=unrestricted")) {
			JobQueue queue = context.getBean(JobQueue.class);
			NewJob job = NewJob.of("succeed").queue("mail").delay(Duration.ofHours(1));
			long keyed = queue.enqueue(job.uniqueKey("a"));
			long plain = queue.enqueue(job);
			String at = "2100-01-01T00:00:00Z";
			assertThat(post(context, "jobqueue/reschedule", "{\"id\":" + plain + ",\"at\":\"" + at + "\"}").body())
				.contains("\"changed\":1");
			assertThat(queue.find(plain).orElseThrow().availableAt()).isEqualTo(at);
			assertThat(post(context, "jobqueue/cancel", "{\"type\":\"succeed\",\"key\":\"a\"}").body())
				.contains("\"changed\":1");
			assertThat(queue.find(keyed).orElseThrow().state()).isEqualTo(JobState.CANCELLED);
			assertRefused(post(context, "jobqueue/cancel", "{\"queue\":\"mail\"}"), "\\\"all\\\": true");
			assertRefused(post(context, "jobqueue/cancel", "{\"type\":\"succeed\",\"keey\":\"a\"}"),
					"There is no field keey");
			assertThat(queue.find(plain).orElseThrow().state()).isEqualTo(JobState.READY);
			assertThat(post(context, "jobqueue/cancel", "{\"queue\":\"mail\",\"all\":true}").body())
				.contains("\"changed\":1");
			assertThat(queue.find(plain).orElseThrow().state()).isEqualTo(JobState.CANCELLED);
		}
	}

	@Test
	void ofManyQueuesAPageIsShownTheBusiestFirst() throws Exception {
		try (ConfigurableApplicationContext context = start("jobqueue.metrics.max-queues=5")) {
			JobQueue queue = context.getBean(JobQueue.class);
			List<NewJob> jobs = new ArrayList<>();
			for (int i = 0; i < 250; i++) {
				jobs.add(NewJob.of("succeed").queue("tenant-" + i).delay(Duration.ofHours(1)));
			}
			jobs.add(NewJob.of("succeed").queue("tenant-249").delay(Duration.ofHours(1)));
			queue.enqueueAll(jobs);
			Awaitility.await()
				.untilAsserted(() -> assertThat(get(context, "jobqueue").body()).contains("\"queueCount\":250",
						"\"queues\":[{\"name\":\"tenant-249\""));
			assertThat(get(context, "jobqueue").body().split("\"name\":\"tenant-")).hasSize(101);
			assertThat(get(context, "jobqueue?page=2").body().split("\"name\":\"tenant-")).hasSize(51);
			assertThat(get(context, "jobqueue?queue=tenant-7").body()).contains("\"queueCount\":1",
					"\"name\":\"tenant-7\"");
			assertThat(get(context, "jobqueue?queue=nobodys").body()).contains("\"queueCount\":0", "\"queues\":[]");
			String depth = get(context, "metrics/jobqueue.depth?tag=queue:(others)&tag=state:delayed").body();
			assertThat(depth).contains("\"value\":245.0");
			assertThat(get(context, "metrics/jobqueue.depth").body().split("tenant-")).hasSizeLessThanOrEqualTo(6);
		}
	}

	private static void assertRefused(HttpResponse<String> response, String reason) {
		assertThat(response.statusCode()).as(reason).isEqualTo(400);
		assertThat(response.body()).startsWith("{\"error\":").contains(reason);
	}

	@Test
	void healthAndMetersTellOfTheWorker() throws Exception {
		try (ConfigurableApplicationContext context = start()) {
			JobQueue queue = context.getBean(JobQueue.class);
			long id = queue.enqueue("succeed");
			Awaitility.await().until(() -> queue.find(id).orElseThrow().state() == JobState.SUCCEEDED);
			queue.enqueue(NewJob.of("succeed").delay(java.time.Duration.ofHours(1)));
			assertThat(get(context, "health").body()).contains("\"jobqueue\":{", "\"secondsSinceHeartbeat\"",
					"\"status\":\"UP\"");
			for (String meter : new String[] { "enqueued", "attempt", "delay", "depth", "oldest.age", "slots",
					"slots.busy", "stale.claims", "rescued", "conflicts", "unhandled.types", "archived" }) {
				Awaitility.await()
					.untilAsserted(() -> assertThat(get(context, "metrics/jobqueue." + meter).statusCode()).as(meter)
						.isEqualTo(200));
			}
			assertThat(get(context, "metrics/jobqueue.attempt?tag=outcome:succeeded&tag=type:succeed").body())
				.contains("\"value\":1.0");
			Awaitility.await()
				.untilAsserted(() -> assertThat(get(context, "metrics/jobqueue.depth?tag=state:delayed").body())
					.contains("1.0"));
		}
	}

	@Test
	void healthIsDownWhenTheHeartbeatIsNotAlive() throws Exception {
		try (ConfigurableApplicationContext context = start("jobqueue.worker.session-timeout=1s",
				"jobqueue.worker.heartbeat-interval=200ms")) {
			Awaitility.await().untilAsserted(() -> assertThat(get(context, "health").statusCode()).isEqualTo(200));
			context.getBean(org.springframework.jdbc.core.JdbcTemplate.class).execute("DROP TABLE jobqueue_session");
			Awaitility.await()
				.untilAsserted(() -> assertThat(get(context, "health").body())
					.contains("\"jobqueue\":{\"details\":{", "no heartbeat for")
					.contains("\"status\":\"DOWN\""));
		}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		public static void main(String[] arguments) {
			SpringApplication.run(Application.class, arguments);
		}

		@JobHandler("succeed")
		void succeed() {
		}

		@JobHandler("fail")
		void fail() {
			throw new PermanentJobException("not today");
		}

	}

}
