package io.jobqueue.dashboard;

import io.jobqueue.JobQueue;
import io.jobqueue.NewJob;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Logins in a real browser: before the first page, and one that has expired while a page
 * is open.
 */
class LoginInBrowserTests {

	private static TestApplication application;

	private Chromium chromium;

	@BeforeAll
	static void start() {
		assumeTrue(Chromium.isThere(), "!!!! no chromium and chromedriver on the PATH: logins are not tested");
		application = TestApplication.secured(SecuredApplicationTests.Permitting.class,
				"jobqueue.dashboard.view-roles=VIEWER,OPERATOR", "jobqueue.dashboard.actions=true",
				"jobqueue.dashboard.act-roles=OPERATOR");
		application.bean(JobQueue.class).enqueue(NewJob.of("any").queue("mail"));
	}

	@AfterAll
	static void stop() {
		if (application != null) {
			application.close();
		}
	}

	@AfterEach
	void close() {
		if (this.chromium != null) {
			this.chromium.close();
		}
	}

	private void logIn(String user) {
		this.chromium.find("input[name=username]").sendKeys(user);
		this.chromium.find("input[name=password]").sendKeys("secret");
		this.chromium.find("button[type=submit]").click();
	}

	@Test
	void whoLogsInIsWhereTheyWantedToBe() {
		this.chromium = Chromium.open();
		this.chromium.driver().get(application.uri("/jobqueue").toString());
		logIn("viewer");
		this.chromium.loaded();
		this.chromium.shows("look only");
		assertThat(this.chromium.driver().findElements(By.xpath("//button[.='Pause']"))).isEmpty();
		// The icon is that of the application's login, which has none.
		assertThat(this.chromium.complaints()).allMatch((complaint) -> complaint.contains("/favicon.ico"));
	}

	@Test
	void aLoginThatExpiresIsToldOfAndActsAgainAfterwards() {
		this.chromium = Chromium.open();
		this.chromium.driver().get(application.uri("/jobqueue/").toString());
		logIn("operator");
		this.chromium.loaded();
		this.chromium.run("location.hash = '#/queues'");
		this.chromium.shows("Pause by name");
		this.chromium.driver().manage().deleteAllCookies();
		this.chromium.shows("You are not logged in any more");
		this.chromium.click("Log in again");
		logIn("operator");
		this.chromium.loaded();
		this.chromium.shows("Pause by name");
		this.chromium.click("Pause");
		this.chromium.confirm();
		this.chromium.shows("Paused mail");
	}

}
