package io.jobqueue.dashboard;

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
				.contains("\"payloadHidden\":true");
			HttpResponse<String> refused = application.act("/jobs/cancel", "{\"id\":\"" + id + "\"}");
			assertThat(refused.statusCode()).isEqualTo(403);
			assertThat(refused.body()).contains("You may look, but not act");
			assertThat(application.bean(JobQueue.class).find(id).orElseThrow().state().isLive()).isTrue();
		}
		assertThat(output).contains("is open to everybody who reaches the application; nobody may act; nobody may see");
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
