package io.jobqueue.store.jdbc.history;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import io.jobqueue.database.AddRows;
import io.jobqueue.store.Histogram;
import io.jobqueue.store.HistoryCounts;

/**
 * The columns of the history, in the order of {@link HistoryCounts}.
 */
final class HistoryColumns {

	private static final String DELAY = "delay_";

	private static final String RAN = "ran_";

	private static final List<String> SUMS = Stream
		.of(Stream.of("enqueued", "started", "succeeded", "failed", "dead"), numbered(DELAY), numbered(RAN))
		.flatMap((names) -> names)
		.toList();

	private static final List<String> MAXIMA = List.of("ready", "oldest_s");

	static final AddRows TABLE = new AddRows("jobqueue_history", List.of("step", "at_minute", "queue", "type"), SUMS,
			MAXIMA);

	/** What a SELECT of all columns but those of the key has, if it sums up rows. */
	static final String TOTALS = totals("MAX");

	/** The same of all queues, each of which has its totals. */
	static final String TOTALS_OF_QUEUES = totals("SUM");

	private HistoryColumns() {
	}

	private static String totals(String ofReady) {
		return SUMS.stream().map((name) -> "SUM(" + name + ") AS " + name).collect(Collectors.joining(", ")) + ", "
				+ ofReady + "(ready) AS ready, MAX(oldest_s) AS oldest_s";
	}

	private static Stream<String> numbered(String prefix) {
		return IntStream.range(0, Histogram.RANGES).mapToObj((range) -> prefix + range);
	}

	/**
	 * The counts as numbers in a statement.
	 */
	static String literals(HistoryCounts counts) {
		LongStream all = Stream
			.of(LongStream.of(counts.enqueued(), counts.started(), counts.succeeded(), counts.failed(), counts.dead()),
					ranges(counts.delay()), ranges(counts.ran()),
					LongStream.of(counts.ready(), counts.oldestSeconds()))
			.flatMapToLong((numbers) -> numbers);
		return all.mapToObj(Long::toString).collect(Collectors.joining(", "));
	}

	private static LongStream ranges(Histogram histogram) {
		return IntStream.range(0, Histogram.RANGES).mapToLong(histogram::count);
	}

	static HistoryCounts read(ResultSet row) throws SQLException {
		return new HistoryCounts(row.getLong("enqueued"), row.getLong("started"), row.getLong("succeeded"),
				row.getLong("failed"), row.getLong("dead"), histogram(row, DELAY), histogram(row, RAN),
				row.getLong("ready"), row.getLong("oldest_s"));
	}

	private static Histogram histogram(ResultSet row, String prefix) throws SQLException {
		long[] counts = new long[Histogram.RANGES];
		for (int range = 0; range < counts.length; range++) {
			counts[range] = row.getLong(prefix + range);
		}
		return Histogram.of(counts);
	}

}
