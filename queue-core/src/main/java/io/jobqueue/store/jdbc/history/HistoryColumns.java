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
import io.jobqueue.store.HistoryCounts.Most;

import org.jspecify.annotations.Nullable;

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

	/** What a SELECT has that sums up what happened. */
	static final String COUNTS = SUMS.stream()
		.map((name) -> "SUM(" + name + ") AS " + name)
		.collect(Collectors.joining(", "));

	/** The same of all columns but those of the key. */
	static final String ALL = COUNTS
			+ MAXIMA.stream().map((name) -> ", MAX(" + name + ") AS " + name).collect(Collectors.joining());

	private HistoryColumns() {
	}

	private static Stream<String> numbered(String prefix) {
		return IntStream.range(0, Histogram.RANGES).mapToObj((range) -> prefix + range);
	}

	/**
	 * The counts as numbers in a statement.
	 */
	static String literals(HistoryCounts counts) {
		Most most = counts.most();
		LongStream all = Stream
			.of(LongStream.of(counts.enqueued(), counts.started(), counts.succeeded(), counts.failed(), counts.dead()),
					ranges(counts.delay()), ranges(counts.ran()),
					(most != null) ? LongStream.of(most.ready(), most.oldestSeconds()) : LongStream.of(0, 0))
			.flatMapToLong((numbers) -> numbers);
		return all.mapToObj(Long::toString).collect(Collectors.joining(", "));
	}

	private static LongStream ranges(Histogram histogram) {
		return IntStream.range(0, Histogram.RANGES).mapToLong(histogram::count);
	}

	static HistoryCounts read(ResultSet row, @Nullable Most most) throws SQLException {
		return new HistoryCounts(row.getLong("enqueued"), row.getLong("started"), row.getLong("succeeded"),
				row.getLong("failed"), row.getLong("dead"), histogram(row, DELAY), histogram(row, RAN), most);
	}

	private static Histogram histogram(ResultSet row, String prefix) throws SQLException {
		long[] counts = new long[Histogram.RANGES];
		for (int range = 0; range < counts.length; range++) {
			counts[range] = row.getLong(prefix + range);
		}
		return Histogram.of(counts);
	}

}
