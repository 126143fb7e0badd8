package io.jobqueue.dashboard;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

import io.jobqueue.JobState;
import io.jobqueue.Limit;
import io.jobqueue.Limits;
import io.jobqueue.NewJob;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.interactions.Actions;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The pages are clicked through.
 */
class BrowserTests extends AbstractBrowserTests {

	@Test
	void hostileTextsAreTexts() {
		chromium.open(dashboard, "job?id=" + dead);
		assertThat(chromium.text()).contains(MARKUP);
		chromium.open(dashboard, "keys");
		chromium.shows(MARKUP);
		chromium.open(dashboard, "causes");
		chromium.shows("onerror");
		chromium.open(dashboard, "jobs?orderKey=" + URLEncoder.encode(MARKUP + REVERSED, StandardCharsets.UTF_8));
		chromium.shows("blocked");
		assertThat(chromium.driver().findElements(By.cssSelector("main img, main script"))).isEmpty();
	}

	@Test
	void aQueueIsSeenToFillAndDrain() {
		chromium.open(dashboard, "queues?name=live");
		queue.pause("live");
		List<Long> ids = queue
			.enqueueAll(List.of(NewJob.of("charge", 1).queue("live"), NewJob.of("charge", 2).queue("live")));
		Awaitility.await().untilAsserted(() -> assertThat(rowOf("live")).contains("paused", "2"));
		chromium.click("Resume");
		chromium.confirm();
		chromium.shows("Resumed live");
		ids.forEach((id) -> Awaitility.await().until(() -> queue.find(id).orElseThrow().state() == JobState.SUCCEEDED));
		Awaitility.await().untilAsserted(() -> assertThat(chromium.text()).doesNotContain("paused"));
	}

	private static String rowOf(String queue) {
		return chromium.driver()
			.findElements(By.cssSelector("tbody tr"))
			.stream()
			.map(WebElement::getText)
			.filter((row) -> row.contains(queue))
			.findAny()
			.orElse("");
	}

	@Test
	void aQueueIsPausedAndResumed() {
		queue.enqueue(NewJob.of("charge", 1).queue("slow").delay(Duration.ofHours(1)));
		chromium.open(dashboard, "queues?name=slow");
		chromium.click("Pause");
		chromium.confirm();
		chromium.shows("Paused slow");
		Awaitility.await().untilAsserted(() -> assertThat(rowOf("slow")).contains("paused"));
		chromium.click("Resume");
		chromium.confirm();
		chromium.shows("Resumed slow");
	}

	@Test
	void aDeadJobIsEditedAndRedriven() {
		long id = queue.enqueue("picky", "odd as well");
		Awaitility.await().until(() -> queue.find(id).orElseThrow().state() == JobState.DEAD);
		chromium.open(dashboard, "job?id=" + id);
		chromium.click("Edit and redrive");
		WebElement payload = chromium.find("dialog[open] textarea");
		payload.clear();
		payload.sendKeys("\"fine\"");
		chromium.confirm();
		chromium.shows("Redriven with another payload");
		chromium.shows("succeeded");
	}

	@Test
	void aJobIsRescheduledAndCancelled() {
		long id = queue.enqueue(NewJob.of("charge", 1).delay(Duration.ofHours(1)));
		chromium.open(dashboard, "job?id=" + id);
		chromium.click("Reschedule");
		WebElement at = chromium.find("dialog[open] input");
		at.clear();
		at.sendKeys("2099-01-01T00:00:00Z");
		chromium.confirm();
		chromium.shows("Rescheduled");
		chromium.click("Cancel");
		chromium.confirm();
		chromium.shows("cancelled");
		assertThat(queue.find(id).orElseThrow().state()).isEqualTo(JobState.CANCELLED);
	}

	@Test
	void allDeadJobsOfATypeAreRedrivenInTheBackground() {
		List<Long> ids = queue.enqueueAll(List.of(NewJob.of("picky", "odd one"), NewJob.of("picky", "odd two")));
		ids.forEach((id) -> Awaitility.await().until(() -> queue.find(id).orElseThrow().state() == JobState.DEAD));
		chromium.open(dashboard, "jobs?state=dead&type=picky");
		chromium.click("Redrive all");
		chromium.shows("jobs: state dead, type picky.");
		chromium.confirm();
		chromium.shows("has begun");
		Awaitility.await().untilAsserted(() -> assertThat(rowOf("redrive")).contains("done"));
		chromium.open(dashboard, "audit");
		assertThat(rowOf("redrive")).isNotEmpty();
	}

	@Test
	void aFilterThatWasNotAppliedYetIsNotActedUpon() {
		chromium.open(dashboard, "jobs?state=dead&type=picky");
		chromium.named("Redrive all");
		WebElement type = chromium.find("main form input[type=search]");
		type.sendKeys("mail");
		chromium.shows("The list is not narrowed like this yet");
		assertThat(chromium.driver().findElements(By.xpath("//button[.='Redrive all']"))).isEmpty();
		chromium.click("Show");
		chromium.click("Redrive all");
		chromium.shows("state dead, queue mail, type picky.");
		chromium.click("Do nothing");
	}

	@Test
	void anAnswerThatDoesNotComeIsMissed() {
		chromium.open(dashboard, "workers");
		chromium.run("window.real = fetch; window.fetch = () => new Promise(() => {})");
		Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.untilAsserted(() -> assertThat(chromium.text()).contains("There has been no answer for 8 seconds"));
		assertThat(chromium.text()).as("what was known").contains("Heartbeat");
	}

	/** A gateway's answer says nothing of what became of a write. */
	@Test
	void anErrorOfAGatewayIsNotToldAsARefusal() {
		chromium.open(dashboard, "schedules");
		chromium.run("const real = fetch; window.fetch = (url, options) => options.method === 'POST' "
				+ "? Promise.resolve(new Response('<html>', { status: 504 })) : real(url, options)");
		chromium.click("Trigger");
		assertThat(chromium.find("dialog[open] h2").getText()).isEqualTo("Trigger nightly");
		chromium.find("dialog[open] button[type=submit]").click();
		chromium.shows("It may have been done all the same");
		chromium.click("Do nothing");
	}

	@Test
	void pagesThatAreHeldStayAsTheyAre() {
		queue.enqueue(NewJob.of("charge", 1).queue("live").delay(Duration.ofHours(1)));
		chromium.open(dashboard, "queues?name=live");
		chromium.click("Hold");
		itStaysWhileJobsCome(() -> chromium.click("Hold"));
	}

	/** The row that has the focus may go away with the next answer. */
	@Test
	void aTableStaysWhileSomebodyGoesThroughItByKeyboard() {
		queue.enqueue(NewJob.of("charge", 1).queue("live").delay(Duration.ofHours(1)));
		chromium.open(dashboard, "queues?name=live");
		Awaitility.await().until(() -> {
			new Actions(chromium.driver()).sendKeys(Keys.TAB).perform();
			return chromium.run("return document.activeElement.matches('main tbody button')").equals(true);
		});
		itStaysWhileJobsCome(() -> chromium.run("document.activeElement.blur()"));
	}

	private static void itStaysWhileJobsCome(Runnable letGo) {
		String before = rowOf("live");
		queue.enqueue(NewJob.of("charge", 1).queue("live").delay(Duration.ofHours(1)));
		Awaitility.await()
			.during(Duration.ofSeconds(7))
			.atMost(Duration.ofSeconds(15))
			.until(() -> rowOf("live").equals(before));
		letGo.run();
		Awaitility.await().untilAsserted(() -> assertThat(rowOf("live")).isNotEqualTo(before));
	}

	@Test
	void aScheduleIsTriggeredPausedAndResumed() {
		chromium.open(dashboard, "schedules");
		chromium.click("Trigger");
		chromium.confirm();
		chromium.shows("was enqueued");
		chromium.click("Pause");
		chromium.confirm();
		chromium.shows("Paused nightly");
		chromium.click("Resume");
		chromium.confirm();
		chromium.shows("Resumed nightly");
	}

	@Test
	void aLimitIsChanged() {
		chromium.open(dashboard, "limits");
		chromium.click("Change");
		WebElement running = chromium.find("dialog[open] input");
		running.clear();
		running.sendKeys("7");
		chromium.confirm();
		Awaitility.await().untilAsserted(() -> assertThat(rowOf("partner")).contains("7"));
	}

	@Test
	void aLimitThatSomebodyElseHasChangedMeanwhileIsNotChanged() {
		Limits limits = application.bean(Limits.class);
		limits.save(Limit.of("partner").running(4));
		chromium.open(dashboard, "limits");
		chromium.click("Change");
		WebElement running = chromium.find("dialog[open] input");
		running.clear();
		running.sendKeys("7");
		limits.save(Limit.of("partner").running(5));
		chromium.find("dialog[open] button[type=submit]").click();
		chromium.shows("somebody or something else was first");
		assertThat(limits.find("partner").orElseThrow().limit().running()).isEqualTo(5);
	}

	@Test
	void aChartTellsItsNumbersToThoseWhoCannotSeeIt() {
		long id = queue.enqueue(NewJob.of("charge", 1).queue("live"));
		Awaitility.await().until(() -> queue.find(id).orElseThrow().state() == JobState.SUCCEEDED);
		chromium.open(dashboard, "history");
		assertThat(chromium.driver().findElements(By.cssSelector(".numbers table"))).isEmpty();
		chromium.find(".numbers summary").click();
		Awaitility.await()
			.untilAsserted(
					() -> assertThat(chromium.find(".numbers table").getText()).contains("succeeded", "enqueued"));
		assertThat(chromium.driver().findElements(By.cssSelector(".numbers tbody tr"))).hasSize(60);
		assertThat(chromium.driver().findElements(By.cssSelector(".numbers tbody td"))).hasSize(240)
			.allSatisfy((cell) -> assertThat(cell.getDomProperty("textContent")).matches("[0-9.,k]+"));
	}

	@Test
	void everythingCanBeDoneByKeyboard() {
		chromium.open(dashboard, "schedules");
		Actions keyboard = new Actions(chromium.driver());
		WebElement trigger = chromium.named("Trigger");
		for (int tabs = 0; tabs < 60 && !trigger.equals(focused()); tabs++) {
			keyboard.sendKeys(Keys.TAB).perform();
		}
		assertThat(focused()).isEqualTo(trigger);
		assertThat(trigger.getCssValue("outline-style")).isEqualTo("solid");
		keyboard.sendKeys(Keys.ENTER).perform();
		chromium.find("dialog[open]");
		keyboard.sendKeys(Keys.ESCAPE).perform();
		Awaitility.await()
			.untilAsserted(() -> assertThat(chromium.driver().findElements(By.cssSelector("dialog[open]"))).isEmpty());
		Awaitility.await()
			.untilAsserted(() -> assertThat(focused().getDomProperty("outerHTML"))
				.isEqualTo(trigger.getDomProperty("outerHTML")));
	}

	private static WebElement focused() {
		return chromium.driver().switchTo().activeElement();
	}

	@Test
	void nothingMovesWhileSomebodyIsAsked() {
		chromium.open(dashboard, "queues?name=live");
		queue.enqueue(NewJob.of("charge", 1).queue("live").delay(Duration.ofHours(1)));
		chromium.open(dashboard, "queues?name=live");
		chromium.click("Pause");
		chromium.find("dialog[open]");
		itStaysWhileJobsCome(() -> chromium.click("Do nothing"));
	}

	/** A dead job's first button redrives it, and a ready one's cancels it. */
	@Test
	void anAnswerThatComesWhileSomebodyIsAskedDoesNotChangeTheQuestion() {
		long id = queue.enqueue("picky", "odd once more");
		Awaitility.await().until(() -> queue.find(id).orElseThrow().state() == JobState.DEAD);
		queue.pause("default");
		try {
			chromium.open(dashboard, "job?id=" + id);
			chromium.run("const real = fetch; window.fetch = (...all) => new Promise((go) => window.release = () => "
					+ "go(real(...all).finally(() => window.answered = true)))");
			Awaitility.await()
				.atMost(Duration.ofSeconds(30))
				.until(() -> chromium.run("return window.release !== undefined").equals(true));
			chromium.click("Edit and redrive");
			chromium.find("dialog[open] textarea").sendKeys("typed");
			queue.redrive(id);
			chromium.run("window.release()");
			Awaitility.await().until(() -> chromium.run("return window.answered === true").equals(true));
			assertThat(chromium.find("dialog[open] h2").getText()).isEqualTo("Edit and redrive job " + id);
			assertThat(chromium.find("dialog[open] textarea").getDomProperty("value")).endsWith("typed");
		}
		finally {
			queue.resume("default");
		}
	}

	@Test
	void whatIsNoJobIsToldAsSuch() {
		chromium.open(dashboard, "job?id=count");
		chromium.shows("A job's id is a number");
	}

	@Test
	void thePageWeighsLittleAndAsksNobodyElse() {
		chromium.open(dashboard, "overview");
		Object urls = chromium.run("return performance.getEntriesByType('resource').map((one) => one.name)");
		assertThat((List<?>) urls).isNotEmpty()
			.allSatisfy((url) -> assertThat((String) url).startsWith(dashboard.toString()));
		Object bytes = chromium.run("return performance.getEntriesByType('resource').concat("
				+ "performance.getEntriesByType('navigation')).filter((one) => !one.name.includes('/api/'))"
				+ ".reduce((sum, one) => sum + one.decodedBodySize, 0)");
		assertThat(((Number) bytes).longValue()).isBetween(50_000L, 250_000L);
	}

}
