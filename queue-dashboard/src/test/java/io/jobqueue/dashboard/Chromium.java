package io.jobqueue.dashboard;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.logging.Level;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.openqa.selenium.By;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A browser without a window, if the machine has Chromium and its driver.
 */
final class Chromium implements AutoCloseable {

	private final ChromeDriver driver;

	private Chromium(ChromeDriver driver) {
		this.driver = driver;
	}

	static boolean isThere() {
		return program("chromium").isPresent() && program("chromedriver").isPresent();
	}

	private static Optional<File> program(String name) {
		return Stream.of(Objects.requireNonNullElse(System.getenv("PATH"), "").split(File.pathSeparator))
			.map((folder) -> new File(folder, name))
			.filter(File::canExecute)
			.findFirst();
	}

	static Chromium open() {
		ChromeOptions options = new ChromeOptions();
		options.setBinary(program("chromium").orElseThrow());
		// Without a sandbox, since a build may run as root in a container.
		options.addArguments("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
				"--lang=en-US");
		LoggingPreferences logs = new LoggingPreferences();
		logs.enable(LogType.BROWSER, Level.ALL);
		options.setCapability("goog:loggingPrefs", logs);
		ChromeDriverService service = new ChromeDriverService.Builder()
			.usingDriverExecutable(program("chromedriver").orElseThrow())
			.usingAnyFreePort()
			.build();
		Chromium chromium = new Chromium(new ChromeDriver(service, options));
		chromium.size(1280, 900);
		return chromium;
	}

	ChromeDriver driver() {
		return this.driver;
	}

	void size(int width, int height) {
		this.driver.executeCdpCommand("Emulation.setDeviceMetricsOverride",
				Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
	}

	void colours(String scheme) {
		this.driver.executeCdpCommand("Emulation.setEmulatedMedia",
				Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
	}

	/** Opens a page of the dashboard and waits for what it shows. */
	void open(URI dashboard, String page) {
		this.driver.get("about:blank");
		this.driver.get(dashboard + "#/" + page);
		loaded();
	}

	/** Waits until the page has its data. */
	void loaded() {
		Awaitility.await().ignoreException(StaleElementReferenceException.class).untilAsserted(() -> {
			assertThat(this.driver.findElements(By.cssSelector("main h1"))).as(text()).hasSize(1);
			assertThat(this.driver.findElements(By.cssSelector(".loading"))).isEmpty();
		});
	}

	String text() {
		return this.driver.findElement(By.tagName("body")).getText();
	}

	void shows(String text) {
		Awaitility.await()
			.ignoreException(StaleElementReferenceException.class)
			.untilAsserted(() -> assertThat(text()).contains(text));
	}

	WebElement find(String css) {
		return Awaitility.await()
			.ignoreExceptions()
			.until(() -> this.driver.findElement(By.cssSelector(css)), WebElement::isDisplayed);
	}

	/** A button or link by what is written on it. */
	WebElement named(String name) {
		String path = "//*[self::button or self::a][normalize-space()='" + name + "']";
		return Awaitility.await(name + " on the page").conditionEvaluationListener((condition) -> {
			if (condition.getRemainingTimeInMS() < 500) {
				screenshot(Path.of("target", "screenshots", "missing-" + name.replaceAll("\\W", "-") + ".png"));
			}
		})
			.ignoreExceptions()
			.until(() -> this.driver.findElements(By.xpath(path))
				.stream()
				.filter(WebElement::isDisplayed)
				.reduce((first, second) -> second)
				.orElseThrow(), Objects::nonNull);
	}

	void click(String name) {
		named(name).click();
	}

	/** Presses the button of the dialog that does what it asks about. */
	void confirm() {
		find("dialog[open] button[type=submit]").click();
		Awaitility.await()
			.untilAsserted(() -> assertThat(this.driver.findElements(By.cssSelector("dialog[open]"))).isEmpty());
	}

	Object run(String script, Object... arguments) {
		return this.driver.executeScript(script, arguments);
	}

	/** What the page's scripts and the browser complain about; each is returned once. */
	List<String> complaints() {
		return this.driver.manage()
			.logs()
			.get(LogType.BROWSER)
			.getAll()
			.stream()
			.filter((entry) -> entry.getLevel().intValue() >= Level.WARNING.intValue())
			.map(LogEntry::getMessage)
			.toList();
	}

	void screenshot(Path file) {
		try {
			Files.createDirectories(file.getParent());
			Files.write(file, this.driver.getScreenshotAs(OutputType.BYTES));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public void close() {
		this.driver.quit();
	}

}
