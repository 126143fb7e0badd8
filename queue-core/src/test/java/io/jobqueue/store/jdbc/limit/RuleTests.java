package io.jobqueue.store.jdbc.limit;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Starts in a time.
 */
class RuleTests {

	private static final long MILLI = 1_000_000;

	private static final long BEGIN = 1_000_000 * MILLI;

	private static Rule rule(int burst, Duration interval, long now) {
		return new Rule(1, "any", Integer.MAX_VALUE, interval.toNanos(), burst, now);
	}

	/**
	 * Starts as many as may, each time some milliseconds after it was due.
	 * @return how many have started until then
	 */
	private static int starts(int burst, Duration interval, Duration late, Duration time) {
		long booked = 0;
		int starts = 0;
		long now = BEGIN;
		while (now < BEGIN + time.toNanos()) {
			Rule rule = rule(burst, interval, now);
			int some = rule.startsLeft(booked);
			booked = (some > 0) ? rule.booked(booked, some) : booked;
			starts += some;
			now += rule(burst, interval, now).untilNext(booked).toNanos() + late.toNanos();
		}
		return starts;
	}

	@Test
	void aRateIsReachedThoughEachStartIsLate() {
		Duration interval = Duration.ofMillis(20);
		assertThat(starts(1, interval, Duration.ofMillis(5), Duration.ofSeconds(10))).isBetween(498, 501);
		assertThat(starts(10, interval, Duration.ofMillis(5), Duration.ofSeconds(10))).isBetween(498, 510);
	}

	@Test
	void twoStartsAreNeverCloserThanHalfTheTimeBetweenThem() {
		long booked = rule(1, Duration.ofMillis(20), BEGIN).booked(0, 1);
		Rule late = rule(1, Duration.ofMillis(20), BEGIN + 100 * MILLI);
		assertThat(late.startsLeft(booked)).isOne();
		booked = late.booked(booked, 1);
		assertThat(rule(1, Duration.ofMillis(20), BEGIN + 100 * MILLI + 9 * MILLI).startsLeft(booked)).isZero();
		assertThat(rule(1, Duration.ofMillis(20), BEGIN + 100 * MILLI + 10 * MILLI).startsLeft(booked)).isOne();
	}

	@Test
	void aBurstIsNeverExceeded() {
		Rule rule = rule(3, Duration.ofMillis(20), BEGIN);
		assertThat(rule.startsLeft(0)).isEqualTo(3);
		assertThat(rule.startsLeft(rule.booked(0, 3))).isZero();
		assertThat(rule.untilNext(rule.booked(0, 3))).isEqualTo(Duration.ofMillis(20));
	}

}
