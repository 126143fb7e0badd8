package io.jobqueue.store.jdbc;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;

import io.jobqueue.maintenance.ThinHistory;
import io.jobqueue.store.Histogram;
import io.jobqueue.store.HistoryCounts;
import io.jobqueue.store.HistoryPoint;
import io.jobqueue.store.HistoryRange;
import io.jobqueue.store.HistoryRow;
import io.jobqueue.store.jdbc.history.JdbcHistory;
import io.jobqueue.test.ForEachDatabase;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * What happened in each minute, and what is left of it later.
 */
@ForEachDatabase
class HistoryTests extends StoreTests {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private static final Duration DAY = Duration.ofDays(1);

	private JdbcHistory history;

	@BeforeEach
	void createHistory() {
		this.history = new JdbcHistory(this.database);
	}

	private static HistoryRow row(String queue, String type, long started) {
		return new HistoryRow(queue, type, counts(started, 3));
	}

	/** Each number another, so that none can be taken for another one. */
	private static HistoryCounts counts(long started, long ready) {
		return new HistoryCounts(started + 1, started, started + 2, started + 3, started + 4, ranges(started),
				ranges(started + 100), ready, ready + 1);
	}

	private static Histogram ranges(long first) {
		return Histogram.of(IntStream.range(0, Histogram.RANGES).mapToLong((range) -> first + range).toArray());
	}

	private static HistoryCounts twice(HistoryCounts one) {
		return new HistoryCounts(2 * one.enqueued(), 2 * one.started(), 2 * one.succeeded(), 2 * one.failed(),
				2 * one.dead(), twice(one.delay()), twice(one.ran()), one.ready(), one.oldestSeconds());
	}

	private static Histogram twice(Histogram one) {
		return Histogram.of(IntStream.range(0, Histogram.RANGES).mapToLong((range) -> 2 * one.count(range)).toArray());
	}

	private static HistoryRange last(Duration length, Duration step) {
		return new HistoryRange(length, step, null, null);
	}

	/** Moves all that was written into the past. */
	private void age(Duration by) {
		this.rows.sql("UPDATE jobqueue_history SET at_minute = at_minute - :by").param("by", by.toMinutes()).update();
	}

	private List<Integer> steps() {
		return this.rows.sql("SELECT step FROM jobqueue_history ORDER BY step, at_minute, queue, type")
			.query(Integer.class)
			.list();
	}

	private Instant now() {
		return this.rows.sql("SELECT {now} AS now_utc FROM (SELECT 1 AS one) once")
			.query((row, number) -> row.getObject("now_utc", LocalDateTime.class))
			.single()
			.toInstant(ZoneOffset.UTC);
	}

	@Test
	void whatIsWrittenIsRead() {
		this.history.add(List.of(row("q", "t", 1_000)));
		List<HistoryPoint> points = this.history.points(last(Duration.ofHours(1), MINUTE));
		assertThat(points).extracting(HistoryPoint::counts).containsExactly(counts(1_000, 3));
		assertThat(points.get(0).at()).isBetween(now().minus(MINUTE.multipliedBy(3)), now());
		assertThat(points.get(0).at().getEpochSecond() % 60).isZero();
	}

	@Test
	void nothingIsWrittenIfNothingHappened() {
		this.history.add(List.of());
		assertThat(steps()).isEmpty();
	}

	@Test
	void nodesAddToEachOther() {
		this.history.add(List.of(row("q", "b", 10), row("q", "a", 20)));
		this.history.add(List.of(row("q", "a", 20), row("q", "b", 10)));
		assertThat(this.history.sums(last(Duration.ofHours(1), MINUTE), 10)).containsExactly(
				new HistoryRow("q", "a", twice(counts(20, 3))), new HistoryRow("q", "b", twice(counts(10, 3))));
	}

	@Test
	void ofHowMuchThereIsToDoTheMostIsKept() {
		this.history.add(List.of(new HistoryRow("q", "", counts(1, 7))));
		this.history.add(List.of(new HistoryRow("q", "", counts(1, 5))));
		HistoryCounts read = this.history.sums(last(Duration.ofHours(1), MINUTE), 10).get(0).counts();
		assertThat(read.ready()).isEqualTo(7);
		assertThat(read.oldestSeconds()).isEqualTo(8);
	}

	@Test
	void aPartIsOfOneQueueOrType() {
		this.history.add(List.of(row("q", "a", 1), row("q", "b", 10), row("r", "a", 100)));
		assertThat(started("q", null)).isEqualTo(11);
		assertThat(started(null, "a")).isEqualTo(101);
		assertThat(started("q", "b")).isEqualTo(10);
		assertThat(this.history.points(new HistoryRange(DAY, MINUTE, "q", "c"))).isEmpty();
	}

	private long started(String queue, String type) {
		return this.history.points(new HistoryRange(DAY, MINUTE, queue, type)).get(0).counts().started();
	}

	@Test
	void whatIsOlderThanThePartIsLeftOut() {
		this.history.add(List.of(row("q", "t", 1)));
		age(Duration.ofHours(2));
		assertThat(this.history.points(last(Duration.ofHours(1), MINUTE))).isEmpty();
		assertThat(this.history.points(last(Duration.ofHours(3), MINUTE))).hasSize(1);
	}

	@Test
	void minutesBecomeTenAfterADayAndAnHourAfterAWeek() {
		for (int minute = 0; minute < 20; minute++) {
			this.history.add(List.of(row("q", "t", 1)));
			age(MINUTE);
		}
		assertThat(this.history.thin()).isZero();
		age(DAY);
		thinAll();
		assertThat(steps()).containsOnly(10).hasSizeBetween(2, 3);
		assertThat(total(Duration.ofDays(2))).isEqualTo(20);
		age(Duration.ofDays(7));
		thinAll();
		assertThat(steps()).containsOnly(60).hasSizeBetween(1, 2);
		assertThat(total(Duration.ofDays(10))).isEqualTo(20);
	}

	@Test
	void whatComesAfterwardsIsAddedToWhatWasSummedUp() {
		this.history.add(List.of(row("q", "t", 5)));
		age(DAY.plus(Duration.ofMinutes(20)));
		thinAll();
		this.history.add(List.of(row("q", "t", 5)));
		age(DAY.plus(Duration.ofMinutes(20)));
		// The first row was moved as well, to where nothing is added to it.
		this.rows.sql("UPDATE jobqueue_history SET at_minute = (SELECT MAX(at_minute) FROM (SELECT at_minute FROM "
				+ "jobqueue_history WHERE step = 1) latest) WHERE step = 10").update();
		this.rows.sql("UPDATE jobqueue_history SET at_minute = at_minute - MOD(at_minute, 10) WHERE step = 10").update();
		thinAll();
		assertThat(this.history.sums(last(Duration.ofDays(4), MINUTE), 10))
			.containsExactly(new HistoryRow("q", "t", twice(counts(5, 3))));
		assertThat(steps()).containsExactly(10);
	}

	private void thinAll() {
		new ThinHistory(this.history, Duration.ofDays(90)).runOnce();
		assertThat(this.history.thin()).isZero();
	}

	private long total(Duration length) {
		return this.history.points(last(length, Duration.ofHours(1)))
			.stream()
			.mapToLong((point) -> point.counts().started())
			.sum();
	}

	@Test
	void twoNodesThatSumUpAtOnceLoseAndDoubleNothing() throws Exception {
		for (int minute = 0; minute < 60; minute++) {
			this.history.add(IntStream.range(0, 20).mapToObj((type) -> row("q", "t" + type, 1)).toList());
			age(MINUTE);
		}
		age(DAY);
		ExecutorService nodes = Executors.newFixedThreadPool(3);
		try {
			Callable<Integer> thin = () -> new ThinHistory(new JdbcHistory(this.database), DAY.multipliedBy(90))
				.runOnce();
			for (var node : nodes.invokeAll(List.of(thin, thin, thin))) {
				node.get();
			}
		}
		finally {
			nodes.shutdownNow();
		}
		assertThat(steps()).containsOnly(10);
		assertThat(total(Duration.ofDays(2))).isEqualTo(1_200);
	}

	@Test
	void whatWasKeptForLongEnoughIsDeleted() {
		this.history.add(List.of(row("q", "old", 1)));
		age(Duration.ofDays(91));
		this.history.add(List.of(row("q", "new", 1)));
		new ThinHistory(this.history, Duration.ofDays(90)).runOnce();
		assertThat(this.history.sums(last(Duration.ofDays(100), DAY), 10)).extracting(HistoryRow::type)
			.containsExactly("new");
		new ThinHistory(this.history, Duration.ZERO).runOnce();
		assertThat(steps()).hasSizeLessThanOrEqualTo(1);
	}

	@Test
	void aPartHasStepsOfWholeMinutesAndIsNotShorterThanOne() {
		assertThatIllegalArgumentException().isThrownBy(() -> last(DAY, Duration.ofSeconds(59)));
		assertThatIllegalArgumentException().isThrownBy(() -> last(MINUTE, Duration.ofHours(1)));
	}

}
