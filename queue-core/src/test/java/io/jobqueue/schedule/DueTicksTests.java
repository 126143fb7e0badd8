package io.jobqueue.schedule;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;

import io.jobqueue.CatchUp;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which ticks are due, which of them are fired, and when the next one is.
 */
class DueTicksTests {

	private static final Instant FIRST = Instant.parse("2026-03-01T10:00:00Z");

	private static final Timing EVERY_MINUTE = Timing.of("", Duration.ofMinutes(1), "Z");

	private static final Timing EACH_SECOND = Timing.of("* * * * * *", Duration.ZERO, "Z");

	@Test
	void aTickThatIsNotDueStays() {
		assertThat(DueTicks.of(EVERY_MINUTE, FIRST, FIRST.minusNanos(1000), CatchUp.ONCE, 1))
			.isEqualTo(new DueTicks(List.of(), 0, FIRST));
	}

	@Test
	void aTickIsFiredAndTheNextOneIsCountedFromIt() {
		assertThat(DueTicks.of(EVERY_MINUTE, FIRST, FIRST.plusSeconds(59), CatchUp.ONCE, 1))
			.isEqualTo(new DueTicks(List.of(FIRST), 0, FIRST.plusSeconds(60)));
	}

	@Test
	void ofMissedTicksOnceFiresTheLatest() {
		assertThat(DueTicks.of(EVERY_MINUTE, FIRST, FIRST.plusSeconds(200), CatchUp.ONCE, 1))
			.isEqualTo(new DueTicks(List.of(FIRST.plusSeconds(180)), 3, FIRST.plusSeconds(240)));
	}

	@Test
	void skipFiresNoneThatIsOlderThanAMinute() {
		Timing hourly = Timing.of("0 0 * * * *", Duration.ZERO, "Z");
		assertThat(DueTicks.of(hourly, FIRST, FIRST.plusSeconds(60), CatchUp.SKIP, 1).fire()).containsExactly(FIRST);
		assertThat(DueTicks.of(hourly, FIRST, FIRST.plusSeconds(61), CatchUp.SKIP, 1))
			.isEqualTo(new DueTicks(List.of(), 1, FIRST.plusSeconds(3600)));
	}

	@Test
	void skipFiresTheLatestOfManyIfThatIsInTime() {
		assertThat(DueTicks.of(EACH_SECOND, FIRST, FIRST.plusSeconds(10), CatchUp.SKIP, 1))
			.isEqualTo(new DueTicks(List.of(FIRST.plusSeconds(10)), 10, FIRST.plusSeconds(11)));
	}

	@Test
	void allFiresUpToItsLimit() {
		assertThat(DueTicks.of(EVERY_MINUTE, FIRST, FIRST.plusSeconds(240), CatchUp.ALL, 3))
			.isEqualTo(new DueTicks(List.of(FIRST.plusSeconds(120), FIRST.plusSeconds(180), FIRST.plusSeconds(240)), 2,
					FIRST.plusSeconds(300)));
	}

	@ParameterizedTest
	@CsvSource({ "* * * * * *,Z", "0 * * * * *,Europe/Berlin", "'',Z" })
	void ofMoreThanAreCountedTheLatestAreFoundAllTheSame(String cron, String zone) {
		Timing timing = Timing.of(cron, Duration.ofSeconds(1), zone);
		Instant now = FIRST.plus(Duration.ofDays(3650)).plusMillis(500);
		DueTicks ticks = DueTicks.of(timing, FIRST, now, CatchUp.ALL, 5);
		assertThat(ticks.missed()).isEqualTo(DueTicks.MOST_COUNTED - 5);
		assertThat(ticks.fire()).hasSize(5).isSorted().allMatch((tick) -> !tick.isAfter(now));
		assertThat(ticks.next()).isAfter(now).isEqualTo(timing.after(ticks.fire().get(4)));
	}

	@Test
	void allFiresUpToItsLimitAlsoJustAboveWhatIsCounted() {
		for (int more = 0; more < 4; more++) {
			Instant now = FIRST.plusSeconds(DueTicks.MOST_COUNTED + more);
			DueTicks ticks = DueTicks.of(EACH_SECOND, FIRST, now, CatchUp.ALL, 100);
			assertThat(ticks.fire()).hasSize(100).isSorted().doesNotHaveDuplicates().endsWith(now);
		}
	}

	@Test
	void aCronThatEndsHasNoNextTick() {
		assertThat(Timing.of("0 0 0 31 2 *", Duration.ZERO, "Z").after(FIRST)).isNull();
	}

	@Test
	void anIntervalStaysOnItsGrid() {
		Timing timing = Timing.of("", Duration.ofHours(24), "Z");
		assertThat(timing.firstAfter(FIRST, FIRST.plus(Duration.ofHours(49))))
			.isEqualTo(FIRST.plus(Duration.ofHours(72)));
		assertThat(timing.firstAfter(FIRST, FIRST.minus(Duration.ofHours(1)))).isEqualTo(FIRST);
		assertThat(timing.firstAfter(FIRST, FIRST)).isEqualTo(FIRST.plus(Duration.ofHours(24)));
	}

	/**
	 * What the documents say of the two edges of daylight saving: a time that does not
	 * exist is fired at the first one that does; one that is there twice is fired once,
	 * if hour and minute are given, and each time if they are not.
	 */
	@ParameterizedTest
	@CsvSource({
			// Berlin: at 02:00 on March 29 it is 03:00; at 03:00 on October 25 it is
			// 02:00.
			"0 30 2 * * *,Europe/Berlin,2026-03-28,3,'2026-03-28T02:30+01:00 2026-03-29T03:00+02:00 2026-03-30T02:30+02:00'",
			"0 30 2 * * *,Europe/Berlin,2026-10-24,3,'2026-10-24T02:30+02:00 2026-10-25T02:30+02:00 2026-10-26T02:30+01:00'",
			"0 0 * * * *,Europe/Berlin,2026-10-25T02:00,3,'2026-10-25T02:00+02:00 2026-10-25T02:00+01:00 2026-10-25T03:00+01:00'",
			// Cairo: at 00:00 on April 24 it is 01:00; at 24:00 on October 29 it is
			// 23:00.
			"0 0 0 * * *,Africa/Cairo,2026-04-23,3,'2026-04-23T00:00+02:00 2026-04-24T01:00+03:00 2026-04-25T00:00+03:00'",
			"0 0 0 * * *,Africa/Cairo,2026-10-29,3,'2026-10-29T00:00+03:00 2026-10-30T00:00+02:00 2026-10-31T00:00+02:00'" })
	void daylightSavingHasTwoEdges(String cron, String zone, String from, int count, String expected) {
		Timing timing = Timing.of(cron, Duration.ZERO, zone);
		String start = from.contains("T") ? from : from + "T00:00";
		Instant tick = LocalDateTime.parse(start).atZone(ZoneId.of(zone)).toInstant().minusMillis(1);
		List<String> seen = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			tick = timing.after(tick);
			ZonedDateTime local = tick.atZone(ZoneId.of(zone));
			seen.add(local.toOffsetDateTime().toString());
		}
		assertThat(String.join(" ", seen)).isEqualTo(expected);
	}

	@Test
	void jitterDependsOnNameAndTickAlone() {
		Duration most = Duration.ofSeconds(30);
		assertThat(Jitter.of("a", FIRST, most)).isEqualTo(Jitter.of("a", FIRST, most)).isBetween(Duration.ZERO, most);
		assertThat(Jitter.of("a", FIRST, Duration.ZERO)).isZero();
		List<Duration> spread = new ArrayList<>();
		for (int i = 0; i < 1000; i++) {
			spread.add(Jitter.of("partner-" + i, FIRST, most));
		}
		assertThat(spread.stream().filter((one) -> one.compareTo(Duration.ofSeconds(15)) < 0).count()).isBetween(400L,
				600L);
	}

}
