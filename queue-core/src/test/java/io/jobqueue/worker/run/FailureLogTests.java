package io.jobqueue.worker.run;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import io.jobqueue.poison.Suspicion;
import io.jobqueue.retry.BackoffPolicy;
import io.jobqueue.retry.RetryPolicy;
import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.ReadyRange;
import io.jobqueue.test.LogLines;
import io.jobqueue.worker.Handler;
import io.jobqueue.worker.attempt.Attempt;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class FailureLogTests {

	private static final Exception FAILURE = new IllegalStateException("the bank\nis closed");

	private final AtomicLong clock = new AtomicLong();

	private final FailureLog failures = new FailureLog(this.clock::get);

	private final LogLines lines = LogLines.of(FailureLog.class);

	@AfterEach
	void stopListening() {
		this.lines.close();
	}

	private static Attempt attempt(String type) {
		RetryPolicy retry = new RetryPolicy(5, new BackoffPolicy(Duration.ofSeconds(1), 1, Duration.ofSeconds(1), 0),
				List.of());
		Handler handler = new Handler(type, (payload, job) -> {
		}, retry, Duration.ofMinutes(1), false);
		ClaimedJob job = new ClaimedJob(new Claim(42, 2, 1), type,
				new ReadyRange("default", 4, 0, Suspicion.Degree.NONE, false, Duration.ZERO), 2, 0, Duration.ZERO,
				Suspicion.NONE, Instant.EPOCH, Duration.ZERO, new ClaimedJob.Payload(null, false));
		return new Attempt(job, handler, 0);
	}

	private void retry(String type, int times) {
		for (int i = 0; i < times; i++) {
			this.failures.retried(attempt(type), FAILURE, Duration.ofSeconds(3));
		}
	}

	private List<String> messages() {
		return this.lines.messages().stream().filter((line) -> !line.startsWith("DEBUG")).toList();
	}

	@Test
	void aFailedAttemptIsOneLine() {
		retry("charge", 1);
		assertThat(messages()).containsExactly("INFO charge job 42 failed (attempt 2 of 5), next in 3000 ms: "
				+ "IllegalStateException: the bank is closed");
		assertThat(this.lines.events().get(0).getThrowableProxy()).isNull();
	}

	@Test
	void aDeathHasItsStackTrace() {
		this.failures.dies(attempt("charge"), FAILURE, FailureTexts.stored(1, FAILURE));
		ILoggingEvent line = this.lines.events().get(0);
		assertThat(line.getLevel()).isEqualTo(Level.WARN);
		assertThat(line.getFormattedMessage()).isEqualTo("charge job 42 failed (attempt 2 of 5) and becomes dead: "
				+ "IllegalStateException: the bank is closed");
		assertThat(line.getThrowableProxy().getStackTraceElementProxyArray()).isNotEmpty();
	}

	@Test
	void aVeryLongOneIsShortened() {
		Exception huge = new IllegalStateException("x".repeat(1_000_000));
		this.failures.dies(attempt("charge"), huge, FailureTexts.stored(1, huge));
		ILoggingEvent line = this.lines.events().get(0);
		assertThat(line.getFormattedMessage()).hasSizeLessThan(20_000)
			.contains("becomes dead: IllegalStateException: xxx");
		assertThat(line.getThrowableProxy()).isNull();
	}

	@Test
	void aTypeHasTenLinesAMinuteAndTheRestAreCounted() {
		retry("charge", 25);
		retry("mail", 1);
		assertThat(messages()).hasSize(11);
		this.failures.endPeriods();
		assertThat(messages()).as("the minute is not over").hasSize(11);
		this.clock.addAndGet(Duration.ofSeconds(61).toNanos());
		this.failures.endPeriods();
		this.failures.endPeriods();
		assertThat(messages()).hasSize(12)
			.last()
			.isEqualTo("INFO 15 more attempt(s) at jobs of type charge failed, for whatever reason, and were not "
					+ "logged one by one");
		retry("charge", 1);
		assertThat(messages()).hasSize(13);
	}

	@Test
	void deathsHaveLinesOfTheirOwn() {
		retry("charge", 25);
		for (int i = 0; i < 12; i++) {
			this.failures.dies(attempt("charge"), FAILURE, FailureTexts.stored(1, FAILURE));
		}
		assertThat(messages()).hasSize(20);
		this.failures.close();
		assertThat(messages()).hasSize(22)
			.contains(
					"WARN 2 more job(s) of type charge became dead, for whatever reason, and were not logged one by one");
	}

}
