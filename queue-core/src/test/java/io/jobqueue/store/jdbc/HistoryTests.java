package io.jobqueue.store.jdbc;

import java.lang.reflect.Field;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;

import io.jobqueue.database.Database;
import io.jobqueue.history.ThinHistory;
import io.jobqueue.store.Histogram;
import io.jobqueue.store.HistoryCounts;
import io.jobqueue.store.HistoryCounts.Most;
import io.jobqueue.store.HistoryPoint;
import io.jobqueue.store.HistoryRange;
import io.jobqueue.store.HistoryRow;
import io.jobqueue.store.jdbc.history.JdbcHistory;
import io.jobqueue.test.ForEachDatabase;
import org.jspecify.annotations.Nullable;
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

	private static final Duration TEN = Duration.ofMinutes(10);

	private static final Duration DAY = Duration.ofDays(1);

	private JdbcHistory history;

	@BeforeEach
	void createHistory() {
		this.history = new JdbcHistory(this.database);
	}

	private static HistoryRow row(String queue, String type, long started) {
		return new HistoryRow(queue, type, counts(started));
	}

	private static HistoryRow depth(String queue, long ready, long oldestSeconds) {
		return new HistoryRow(queue, HistoryRow.ALL, HistoryCounts.of(new Most(ready, oldestSeconds)));
	}

	/** Each number another, so that none can be taken for another one. */
	private static HistoryCounts counts(long started) {
		return new HistoryCounts(started + 1, started, started + 2, started + 3, started + 4, ranges(started, 1),
				ranges(started + 100, 1), null);
	}

	private static HistoryCounts twice(long started) {
		return new HistoryCounts(2 * started + 2, 2 * started, 2 * started + 4, 2 * started + 6, 2 * started + 8,
				ranges(started, 2), ranges(started + 100, 2), null);
	}

	private static Histogram ranges(long first, int times) {
		return Histogram
			.of(IntStream.range(0, Histogram.RANGES).mapToLong((range) -> times * (first + range)).toArray());
	}

	/** In the minute that has just ended. */
	private void add(HistoryRow... rows) {
		this.history.add(List.of(rows), () -> MINUTE);
	}

	private static HistoryRange last(Duration length, Duration step) {
		return new HistoryRange(length, step, null, null);
	}

	/** Moves all that was written into the past. */
	private void age(Duration by) {
		this.rows.sql("UPDATE jobqueue_history SET at_minute = at_minute - :by").param("by", by.toMinutes()).update();
	}

	private List<Integer> steps() {
		return this.rows.sql("SELECT step FROM jobqueue_history WHERE step > 0 ORDER BY step, at_minute, queue, type")
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
		add(row("q", "t", 1_000));
		HistoryPoint.Line line = this.history.line(last(Duration.ofHours(1), MINUTE));
		assertThat(line.points()).extracting(HistoryPoint::counts).containsExactly(counts(1_000));
		assertThat(line.points().get(0).at()).isBetween(line.until().minus(Duration.ofMinutes(2)), line.until());
		assertThat(line.until()).isBetween(now().minus(MINUTE.multipliedBy(2)), now());
		assertThat(line.until().getEpochSecond() % 60).isZero();
	}

	@Test
	void whatWasTakenHalfAnHourAgoIsOfThatTime() {
		this.history.add(List.of(row("q", "t", 1)), () -> Duration.ofMinutes(30));
		Instant at = this.history.line(last(Duration.ofHours(1), MINUTE)).points().get(0).at();
		assertThat(at).isBetween(now().minus(Duration.ofMinutes(32)), now().minus(Duration.ofMinutes(30)));
	}

	@Test
	void nothingIsWrittenIfNothingHappened() {
		add();
		assertThat(steps()).isEmpty();
	}

	@Test
	void theTextsOfStatementsAreNotKept() throws Exception {
		int before = constants();
		for (int number = 0; number < 20; number++) {
			add(row("q", "t", number));
		}
		assertThat(constants()).isLessThan(before + 10);
	}

	private int constants() throws ReflectiveOperationException {
		Field texts = Database.class.getDeclaredField("texts");
		texts.setAccessible(true);
		Object known = texts.get(this.database);
		Field constants = known.getClass().getDeclaredField("constants");
		constants.setAccessible(true);
		return ((Map<?, ?>) constants.get(known)).size();
	}

	@Test
	void nodesAddToEachOther() {
		add(row("q", "b", 10), row("q", "a", 20));
		add(row("q", "a", 20), row("q", "b", 10));
		assertThat(this.history.sums(last(Duration.ofHours(1), MINUTE), 10))
			.containsExactly(new HistoryRow("q", "a", twice(20)), new HistoryRow("q", "b", twice(10)));
	}

	@Test
	void nodesThatWriteAtOnceLoseNothing() throws Exception {
		atOnce(() -> {
			for (int minute = 0; minute < 20; minute++) {
				List<HistoryRow> rows = new ArrayList<>(
						IntStream.range(0, 20).mapToObj((type) -> row("q", "t" + type, 1)).toList());
				Collections.shuffle(rows);
				new JdbcHistory(this.database).add(rows, () -> MINUTE);
			}
			return 0;
		});
		assertThat(total(Duration.ofHours(1))).isEqualTo(3 * 20 * 20);
	}

	private static void atOnce(Callable<Integer> node) throws Exception {
		ExecutorService nodes = Executors.newFixedThreadPool(3);
		try {
			for (var ended : nodes.invokeAll(List.of(node, node, node))) {
				ended.get();
			}
		}
		finally {
			nodes.shutdownNow();
		}
	}

	@Test
	void ofHowMuchThereIsToDoTheMostIsKept() {
		add(depth("q", 7, 3), depth(HistoryRow.ALL, 7, 3));
		add(depth("q", 5, 9), depth(HistoryRow.ALL, 5, 9), row("q", "t", 1));
		assertThat(most("q", null)).isEqualTo(new Most(7, 9));
		assertThat(most("q", "t")).isEqualTo(new Most(7, 9));
		assertThat(most("other", null)).isEqualTo(new Most(0, 0));
		assertThat(most(null, "t")).isEqualTo(new Most(7, 9));
	}

	@Test
	void aQueueThatWasNotToldApartIsNotEmpty() {
		add(depth("q", 7, 3), depth(HistoryRow.OTHERS, 2, 2), depth(HistoryRow.ALL, 9, 3));
		assertThat(most("q", null)).isEqualTo(new Most(7, 3));
		assertThat(most(null, null)).isEqualTo(new Most(9, 3));
		assertThat(this.history.line(new HistoryRange(DAY, MINUTE, "other", null)).points().get(0).counts().most())
			.isNull();
	}

	@Test
	void whatWasNotMeasuredIsNotKnown() {
		add(row("q", "t", 1));
		assertThat(most(null, null)).isNull();
	}

	@Test
	void anyTimeThatAnotherProgramHasWrittenIsTold() {
		add(depth(HistoryRow.ALL, Long.MAX_VALUE, Long.MAX_VALUE));
		assertThat(most(null, null)).isEqualTo(new Most(Integer.MAX_VALUE, Integer.MAX_VALUE));
	}

	private @Nullable Most most(@Nullable String queue, @Nullable String type) {
		return this.history.line(new HistoryRange(DAY, MINUTE, queue, type)).points().get(0).counts().most();
	}

	@Test
	void aPartIsOfOneQueueOrType() {
		add(row("q", "a", 1), row("q", "b", 10), row("r", "a", 100), depth(HistoryRow.ALL, 1, 1));
		assertThat(started("q", null)).isEqualTo(11);
		assertThat(started(null, "a")).isEqualTo(101);
		assertThat(started("q", "b")).isEqualTo(10);
		assertThat(started("q", "c")).isZero();
		assertThat(this.history.sums(new HistoryRange(DAY, MINUTE, null, "a"), 10)).extracting(HistoryRow::queue)
			.containsExactly("r", "q");
	}

	private long started(@Nullable String queue, @Nullable String type) {
		return this.history.line(new HistoryRange(DAY, MINUTE, queue, type)).points().get(0).counts().started();
	}

	@Test
	void whatIsOlderThanThePartIsLeftOut() {
		add(row("q", "t", 1));
		age(Duration.ofHours(2));
		assertThat(total(Duration.ofHours(1))).isZero();
		assertThat(total(Duration.ofHours(4))).isEqualTo(1);
	}

	@Test
	void minutesBecomeTenAfterADayAndAnHourAfterAWeek() {
		for (int minute = 0; minute < 20; minute++) {
			add(row("q", "t", 1), depth(HistoryRow.ALL, minute, 1));
			age(MINUTE);
		}
		assertThat(this.history.thin()).isZero();
		age(DAY.plus(TEN));
		thinAll();
		assertThat(steps()).containsOnly(10);
		assertThat(total(Duration.ofDays(2))).isEqualTo(20);
		age(Duration.ofDays(7));
		thinAll();
		assertThat(steps()).containsOnly(60);
		assertThat(total(Duration.ofDays(10))).isEqualTo(20);
		assertThat(this.history.line(last(Duration.ofDays(10), DAY)).points())
			.extracting((point) -> point.counts().most())
			.contains(new Most(19, 1));
	}

	@Test
	void whatComesAfterwardsIsAddedToWhatWasSummedUp() {
		this.history.add(List.of(row("q", "t", 5)), () -> DAY.plus(TEN.multipliedBy(3)));
		thinAll();
		assertThat(steps()).containsExactly(10);
		this.rows.sql("UPDATE jobqueue_history SET step = 1 WHERE step = 10").update();
		this.history.add(List.of(row("q", "t", 5)), () -> DAY.plus(TEN.multipliedBy(3)));
		thinAll();
		assertThat(steps()).containsExactly(10);
		assertThat(this.history.sums(last(Duration.ofDays(4), MINUTE), 10))
			.containsExactly(new HistoryRow("q", "t", twice(5)));
	}

	private void thinAll() {
		new ThinHistory(this.history, Duration.ofDays(90)).run();
		assertThat(this.history.thin()).isZero();
	}

	private long total(Duration length) {
		return this.history.sums(last(length, MINUTE), 1_000).stream().mapToLong((row) -> row.counts().started()).sum();
	}

	@Test
	void nodesThatSumUpAtOnceLoseAndDoubleNothing() throws Exception {
		for (int minute = 0; minute < 150; minute++) {
			add(row("q", "a", 1), row("q", "b", 1), row("q", "c", 1));
			age(MINUTE);
		}
		age(Duration.ofDays(8));
		atOnce(() -> {
			new ThinHistory(new JdbcHistory(this.database), Duration.ofDays(90)).run();
			return 0;
		});
		assertThat(steps()).containsOnly(60);
		assertThat(total(Duration.ofDays(10))).isEqualTo(450);
	}

	@Test
	void whatWasKeptForLongEnoughIsDeleted() {
		add(row("q", "old", 1));
		age(Duration.ofDays(91));
		add(row("q", "new", 1));
		new ThinHistory(this.history, Duration.ofDays(90)).run();
		assertThat(this.history.sums(last(Duration.ofDays(100), MINUTE), 10)).extracting(HistoryRow::type)
			.containsExactly("new");
		age(MINUTE.multipliedBy(2));
		new ThinHistory(this.history, Duration.ZERO).run();
		assertThat(steps()).isEmpty();
	}

	@Test
	void aPartHasStepsOfWholeMinutesAndIsNotShorterThanOne() {
		assertThatIllegalArgumentException().isThrownBy(() -> last(DAY, Duration.ofSeconds(59)));
		assertThatIllegalArgumentException().isThrownBy(() -> last(DAY, Duration.ofSeconds(90)));
		assertThatIllegalArgumentException().isThrownBy(() -> last(MINUTE, Duration.ofHours(1)));
	}

}
