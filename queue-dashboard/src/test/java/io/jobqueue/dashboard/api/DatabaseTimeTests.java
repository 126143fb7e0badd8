package io.jobqueue.dashboard.api;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

import org.springframework.dao.DataAccessResourceFailureException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The database's clock, as the page is told.
 */
class DatabaseTimeTests {

	private final AtomicLong nanos = new AtomicLong();

	private LocalDateTime there = LocalDateTime.parse("2026-11-28T12:00:00");

	private boolean away;

	private int asked;

	private final DatabaseTime time = new DatabaseTime(() -> {
		this.asked++;
		if (this.away) {
			throw new DataAccessResourceFailureException("away");
		}
		return this.there;
	}, this.nanos::get);

	@Test
	void itGoesOnBetweenTwoQuestions() {
		assertThat(this.time.now()).isEqualTo(Instant.parse("2026-11-28T12:00:00Z"));
		this.nanos.addAndGet(Duration.ofSeconds(59).toNanos());
		assertThat(this.time.now()).isEqualTo(Instant.parse("2026-11-28T12:00:59Z"));
		assertThat(this.asked).isEqualTo(1);
		this.nanos.addAndGet(Duration.ofSeconds(1).toNanos());
		this.there = LocalDateTime.parse("2026-11-28T12:30:00");
		assertThat(this.time.now()).isEqualTo(Instant.parse("2026-11-28T12:30:00Z"));
	}

	@Test
	void itGoesOnWhileTheDatabaseIsAway() {
		this.away = true;
		assertThat(this.time.now()).as("it was never asked").isNull();
		this.away = false;
		this.nanos.addAndGet(Duration.ofSeconds(3).toNanos());
		assertThat(this.time.now()).isEqualTo(Instant.parse("2026-11-28T12:00:00Z"));
		this.away = true;
		this.nanos.addAndGet(Duration.ofSeconds(70).toNanos());
		assertThat(this.time.now()).isEqualTo(Instant.parse("2026-11-28T12:01:10Z"));
	}

}
