package io.jobqueue.dashboard;

import java.nio.file.Path;
import java.util.List;

import com.deque.html.axecore.results.Rule;
import com.deque.html.axecore.selenium.AxeBuilder;
import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How the pages look on screens of different sizes, light and dark, and whether everybody
 * can read them.
 */
class ScreensTests extends AbstractBrowserTests {

	/** A window that is made wider and one that is made narrower. */
	@ParameterizedTest
	@ValueSource(strings = { "overview", "history", "queues", "jobs", "jobs?state=dead", "job", "causes", "schedules",
			"limits", "keys", "workers", "operations", "audit", "none" })
	void everyPageIsReadableForAllAndFitsOnEachScreen(String page) {
		for (String colours : List.of("light", "dark")) {
			chromium.colours(colours);
			int[] widths = colours.equals("light") ? new int[] { 320, 1280, 3840 } : new int[] { 3840, 1280, 320 };
			chromium.size(widths[0], 900);
			open(page);
			for (int width : widths) {
				chromium.size(width, 900);
				// Charts are drawn again after the page has its new width.
				Awaitility.await()
					.untilAsserted(() -> assertThat((Long) chromium.run("return document.documentElement.scrollWidth"))
						.as("%s at %d", page, width)
						.isLessThanOrEqualTo(width));
				chromium.screenshot(Path.of("target", "screenshots",
						page.replaceAll("[^a-z]", "-") + "-" + colours + "-" + width + ".png"));
			}
			chromium.size(1280, 900);
			chromium.run("document.querySelectorAll('details').forEach((one) => one.open = true)");
			assertThat(new AxeBuilder().analyze(chromium.driver()).getViolations()).as("%s, %s", page, colours)
				.extracting(Rule::getId, Rule::getNodes)
				.isEmpty();
		}
	}

	private static void open(String page) {
		if (page.equals("none")) {
			chromium.driver().get(dashboard + "#/none");
			chromium.shows("There is no such page");
		}
		else {
			chromium.open(dashboard, page.equals("job") ? "job?id=" + dead : page);
		}
	}

	/** Also those that are opened from a row, and on a phone. */
	@ParameterizedTest
	@CsvSource({ "limits,Change,320", "limits,Change,1280", "queues,Pause,320", "queues,Pause,1280",
			"keys,Pass over,1280", "schedules,Trigger,1280" })
	void aDialogFits(String page, String button, int width) {
		chromium.size(width, 900);
		try {
			chromium.open(dashboard, page);
			chromium.click(button);
			chromium.find("dialog[open]");
			assertThat(chromium
				.run("const d = document.querySelector('dialog[open]'); return d.scrollWidth <= d.clientWidth"))
				.isEqualTo(true);
			assertThat(chromium.run("return getComputedStyle(document.querySelector('dialog[open] p')).textAlign"))
				.isIn("start", "left");
			chromium.click("Do nothing");
		}
		finally {
			chromium.size(1280, 900);
		}
	}

}
