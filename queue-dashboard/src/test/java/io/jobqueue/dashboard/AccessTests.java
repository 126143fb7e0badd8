package io.jobqueue.dashboard;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

import io.jobqueue.JobQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Who may do what where nobody logs in.
 */
@ExtendWith(OutputCaptureExtension.class)
class AccessTests {

	@Test
	void itIsClosedUntilSomebodyOpensIt(CapturedOutput output) throws Exception {
		try (TestApplication application = TestApplication.of(TestApplication.Nothing.class)) {
			for (String path : new String[] { "/jobqueue", "/jobqueue/", "/jobqueue/assets/app.js",
					"/jobqueue/api/v1/overview", "/jobqueue/api/v1/session", "/jobqueue/nothing" }) {
				assertThat(application.get(path).statusCode()).as(path).isEqualTo(403);
			}
			assertThat(application.act("/queues/pause", "{\"queue\":\"mail\"}").statusCode()).isEqualTo(403);
		}
		assertThat(output).contains("The dashboard at /jobqueue is closed: nobody may look")
			.contains("jobqueue.dashboard.view-roles");
	}

	@Test
	void oneThatIsOpenIsLookedAtOnly(CapturedOutput output) throws Exception {
		try (TestApplication application = TestApplication.of(TestApplication.Nothing.class,
				"jobqueue.dashboard.open=true", "jobqueue.worker.enabled=false")) {
			assertThat(application.get("/jobqueue/").body()).contains("assets/app.js");
			assertThat(application.<Boolean>read("/session", "$.mayAct")).isFalse();
			long id = application.bean(JobQueue.class).enqueue("mail", "a secret");
			assertThat(application.get("/jobqueue/api/v1/jobs/" + id).body()).doesNotContain("secret")
				.contains("\"payloadShown\":\"hidden\"");
			HttpResponse<String> refused = application.act("/jobs/cancel", "{\"id\":\"" + id + "\"}");
			assertThat(refused.statusCode()).isEqualTo(403);
			assertThat(refused.body()).contains("You may look, but not act");
			assertThat(application.bean(JobQueue.class).find(id).orElseThrow().state().isLive()).isTrue();
		}
		assertThat(output).contains("is open to everybody who reaches the application; nobody may act; nobody may see");
	}

	/** As checks from outside ask. */
	@Test
	void aPageIsThereForHeadToo() throws Exception {
		try (TestApplication application = TestApplication.open(TestApplication.Nothing.class)) {
			for (String path : new String[] { "/jobqueue", "/jobqueue/", "/jobqueue/assets/app.js" }) {
				HttpResponse<String> head = application.send(HttpRequest.newBuilder(application.uri(path))
					.method("HEAD", HttpRequest.BodyPublishers.noBody()));
				assertThat(head.statusCode()).as(path).isEqualTo(application.get(path).statusCode()).isNotEqualTo(404);
				assertThat(head.body()).isEmpty();
			}
		}
		try (TestApplication application = TestApplication.of(TestApplication.Nothing.class)) {
			assertThat(application
				.send(HttpRequest.newBuilder(application.uri("/jobqueue/"))
					.method("HEAD", HttpRequest.BodyPublishers.noBody()))
				.statusCode()).isEqualTo(403);
		}
	}

	@Test
	void whereItIsOffNothingIsServed() throws Exception {
		try (TestApplication application = TestApplication.open(TestApplication.Nothing.class,
				"jobqueue.dashboard.enabled=false")) {
			assertThat(application.get("/jobqueue/").statusCode()).isEqualTo(404);
			assertThat(application.get("/jobqueue/assets/app.js").statusCode()).isEqualTo(404);
			assertThat(application.get("/io/jobqueue/dashboard/assets/app.js").statusCode()).isEqualTo(404);
		}
	}

	@Test
	void eachAnswerForbidsWhatThePageDoesNotNeed() throws Exception {
		try (TestApplication application = TestApplication.open(TestApplication.Nothing.class)) {
			for (String path : new String[] { "/jobqueue", "/jobqueue/", "/jobqueue/assets/app.js",
					"/jobqueue/api/v1/overview", "/jobqueue/nothing", "/jobqueue/api/v1/jobs?state=none" }) {
				HttpResponse<String> answer = application.get(path);
				assertThat(answer.headers().firstValue("Content-Security-Policy")).as(path)
					.hasValueSatisfying((policy) -> assertThat(policy).contains("default-src 'none'")
						.contains("frame-ancestors 'none'")
						.doesNotContain("unsafe"));
				assertThat(answer.headers().firstValue("X-Content-Type-Options")).as(path).hasValue("nosniff");
				assertThat(answer.headers().allValues("Cache-Control")).as(path).hasSize(1);
			}
		}
	}

	@Test
	void itWorksUnderAContextPathAndAPathOfItsOwn() throws Exception {
		try (TestApplication application = TestApplication.open(TestApplication.Nothing.class,
				"server.servlet.context-path=/shop", "jobqueue.dashboard.path=/admin/jobs")) {
			assertThat(application.get("/admin/jobs").headers().firstValue("Location")).hasValue("jobs/");
			assertThat(application.get("/admin/jobs/").statusCode()).isEqualTo(200);
			assertThat(application.get("/admin/jobs/api/v1/overview").body()).contains("\"counts\"");
			assertThat(application.get("/jobqueue/").statusCode()).isEqualTo(404);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "server.servlet.context-path=/shop", "spring.mvc.servlet.path=/app",
			"spring.mvc.servlet.load-on-startup=1" })
	void whatIsWrongWithDataIsToldAsData(String setting) throws Exception {
		try (TestApplication application = TestApplication.open(TestApplication.Nothing.class, setting)) {
			String prefix = setting.contains("/app") ? "/app" : "";
			HttpResponse<String> wrong = application.get(prefix + "/jobqueue/api/v1/jobs?state=none");
			assertThat(wrong.statusCode()).isEqualTo(400);
			assertThat(wrong.body()).startsWith("{\"error\":\"There is no state 'none'");
			HttpResponse<String> foreign = application.get(prefix + "/jobqueue/api/v1/overview", "Sec-Fetch-Site",
					"cross-site");
			assertThat(foreign.statusCode()).isEqualTo(403);
			assertThat(foreign.body()).startsWith("{\"error\":");
			for (String path : new String[] { "/jobqueue/%61pi/v1/overview", "/jobqueue/api;x/v1/overview" }) {
				assertThat(application.get(prefix + path, "Sec-Fetch-Site", "cross-site").statusCode()).as(path)
					.isEqualTo(403);
			}
			assertThat(application.get(prefix + "/jobqueue/", "Sec-Fetch-Site", "cross-site").statusCode())
				.as("a link to the page")
				.isEqualTo(200);
		}
	}

	@Test
	void oneThatIsOpenAnswersOnlyUnderNamesThatItKnows() throws Exception {
		try (TestApplication application = TestApplication.open(TestApplication.Nothing.class,
				"server.forward-headers-strategy=framework")) {
			HttpResponse<String> answer = application.get("/jobqueue/", "X-Forwarded-Host", "evil.example");
			assertThat(answer.statusCode()).isEqualTo(403);
			assertThat(answer.body()).contains("jobqueue.dashboard.allowed-origins");
			assertThat(application.get("/jobqueue/", "X-Forwarded-Host", "shop").statusCode()).isEqualTo(200);
			assertThat(rawGet(application, "evil.example", "X-Forwarded-Host: localhost"))
				.as("whoever sends it has also said that a proxy has")
				.contains(" 403 ");
			assertThat(rawGet(application, "localhost:80", "X-Forwarded-Host: localhost")).contains(" 200 ");
		}
	}

	@Test
	void aNameThatIsKnownMayBeWrittenAsSuch() throws Exception {
		try (TestApplication application = TestApplication.open(TestApplication.Nothing.class,
				"jobqueue.dashboard.allowed-origins=jobs.example,https://more.example:8443")) {
			assertThat(rawGet(application, "jobs.example:8080", "Accept: */*")).contains(" 200 ");
			assertThat(rawGet(application, "more.example", "Accept: */*")).contains(" 200 ");
			assertThat(rawGet(application, "other.example", "Accept: */*")).contains(" 403 ");
		}
	}

	/** The client sends no other host than that of the address. */
	private static String rawGet(TestApplication application, String host, String header) throws IOException {
		URI address = application.uri("/jobqueue/");
		try (Socket socket = new Socket(address.getHost(), address.getPort())) {
			String request = "GET /jobqueue/ HTTP/1.1\r\nHost: %s\r\n%s\r\nConnection: close\r\n\r\n".formatted(host,
					header);
			socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
			String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
			return answer.lines().findFirst().orElseThrow() + " ";
		}
	}

	@Test
	void whatABrowserHasIsNotSentAgain() throws Exception {
		try (TestApplication application = TestApplication.open(TestApplication.Nothing.class)) {
			HttpResponse<String> first = application.get("/jobqueue/assets/app.js");
			HttpResponse<String> second = application.get("/jobqueue/assets/app.js", "If-None-Match",
					first.headers().firstValue("ETag").orElseThrow());
			assertThat(second.statusCode()).isEqualTo(304);
			assertThat(second.headers().allValues("Cache-Control"))
				.isEqualTo(first.headers().allValues("Cache-Control"))
				.containsExactly("no-cache, private");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "/", "jobs", "/jobs/", "/jobs/{id}", "/jobs/**", "//jobs" })
	void aPathThatIsNoneIsRefused(String path) {
		assertThatThrownBy(
				() -> TestApplication.open(TestApplication.Nothing.class, "jobqueue.dashboard.path=" + path).close())
			.rootCause()
			.hasMessageContaining("jobqueue.dashboard.path must be a path as /jobqueue");
	}

	@Test
	void aSettingThatNobodyKnowsIsRefused() {
		assertThatThrownBy(
				() -> TestApplication.open(TestApplication.Nothing.class, "jobqueue.dashboard.view-role=ADMIN").close())
			.rootCause()
			.hasMessageContaining("jobqueue.dashboard.view-role");
	}

}
