package io.jobqueue.store.jdbc.history;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.jobqueue.database.Database;
import io.jobqueue.store.HistoryCounts.Most;
import io.jobqueue.store.HistoryPoint;
import io.jobqueue.store.HistoryRange;
import io.jobqueue.store.HistoryRow;
import io.jobqueue.store.HistoryStore;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.simple.JdbcClient.StatementSpec;

/**
 * The history in SQL. Times are whole minutes since 1970, so that they are rounded and
 * compared in the same way by every database.
 */
public final class JdbcHistory implements HistoryStore {

	/** All columns of its table. */
	public static final List<String> COLUMNS = HistoryColumns.TABLE.columns();

	private static final String NOW = """
			SELECT {now} AS now_utc FROM (SELECT 1 AS one) once""";

	/** Counts are taken within a few seconds after the minute that they are of. */
	private static final Duration AFTER_MINUTE = Duration.ofSeconds(30);

	/** And are written then, as a rule. */
	private static final Duration UNTIL_WRITTEN = Duration.ofSeconds(8);

	/**
	 * Rows without a type say how much was to be done; nothing is counted in them. A
	 * queue without one had nothing to do, unless there is one of queues that were not
	 * told apart.
	 */
	private static final String LINE = "SELECT place, " + HistoryColumns.COUNTS + """
			, MAX(CASE WHEN type = '' AND queue = :of THEN ready ELSE 0 END) AS ready,
			    MAX(CASE WHEN type = '' AND queue = :of THEN oldest_s ELSE 0 END) AS oldest_s,
			    MAX(CASE WHEN type = '' AND queue = '' THEN 1 ELSE 0 END) AS measured,
			    MAX(CASE WHEN type = '' AND queue = :of THEN 1 ELSE 0 END) AS measured_of,
			    MAX(CASE WHEN type = '' AND queue = '*' THEN 1 ELSE 0 END) AS others
			FROM (SELECT h.*, at_minute - MOD(at_minute, :step) AS place FROM jobqueue_history h{byPrimary}
			    WHERE step IN (1, 10, 60) AND at_minute >= :from AND at_minute < :until%s) placed
			GROUP BY place
			ORDER BY place""";

	private static final String SUMS = "SELECT queue, type, " + HistoryColumns.COUNTS + """
			 FROM jobqueue_history{byPrimary}
			WHERE step IN (1, 10, 60) AND at_minute >= :from AND at_minute < :until AND type <> ''%s
			GROUP BY queue, type
			ORDER BY SUM(started) DESC, queue, type
			LIMIT :limit""";

	private final Database database;

	private final ThinHistory thinning;

	public JdbcHistory(Database database) {
		this.database = database;
		this.thinning = new ThinHistory(database);
	}

	/**
	 * The text differs each time, so it is not one of those that are kept.
	 */
	@Override
	public void add(List<HistoryRow> rows, Supplier<Duration> ago) {
		if (rows.isEmpty()) {
			return;
		}
		List<HistoryRow> sorted = rows.stream().sorted(HistoryRow.BY_KEY).toList();
		this.database.transactions().run(() -> {
			long minute = minuteOf(now().minus(ago.get()).minus(AFTER_MINUTE));
			String values = sorted.stream()
				.map((row) -> "(1, " + minute + ", ?, ?, " + HistoryColumns.literals(row.counts()) + ")")
				.collect(Collectors.joining(", ", "VALUES ", ""));
			List<Object> names = new ArrayList<>();
			sorted.forEach((row) -> names.addAll(List.of(row.queue(), row.type())));
			return this.database.template()
				.update(HistoryColumns.TABLE.from(this.database.dialect(), values), names.toArray());
		});
	}

	@Override
	public HistoryPoint.Line line(HistoryRange range) {
		return this.database.read(() -> {
			long until = until(range);
			List<HistoryPoint> points = select(LINE, " AND (queue IN (:queue, '') OR (queue = '*' AND type = ''))",
					" AND type IN (:type, '')", range, until)
				.param("step", range.step().toMinutes())
				.param("of", (range.queue() != null) ? range.queue() : HistoryRow.ALL)
				.query((row, number) -> new HistoryPoint(time(row.getLong("place")),
						HistoryColumns.read(row, most(row))))
				.list();
			return new HistoryPoint.Line(time(until), points);
		});
	}

	private static @Nullable Most most(ResultSet row) throws SQLException {
		boolean isTold = row.getInt("measured_of") == 1 || (row.getInt("measured") == 1 && row.getInt("others") == 0);
		return isTold ? new Most(row.getLong("ready"), row.getLong("oldest_s")) : null;
	}

	@Override
	public List<HistoryRow> sums(HistoryRange range, int limit) {
		return this.database.read(() -> select(SUMS, " AND queue = :queue", " AND type = :type", range, until(range))
			.param("limit", limit)
			.query((row, number) -> new HistoryRow(row.getString("queue"), row.getString("type"),
					HistoryColumns.read(row, null)))
			.list());
	}

	private StatementSpec select(String statement, String ofQueue, String ofType, HistoryRange range, long until) {
		String filter = ((range.queue() != null) ? ofQueue : "") + ((range.type() != null) ? ofType : "");
		StatementSpec select = this.database.sql(statement.formatted(filter))
			.param("from", until - range.length().toMinutes())
			.param("until", until);
		if (range.queue() != null) {
			select = select.param("queue", range.queue());
		}
		return (range.type() != null) ? select.param("type", range.type()) : select;
	}

	/** The end of the last step that is over. */
	private long until(HistoryRange range) {
		long minute = minuteOf(now().minus(UNTIL_WRITTEN));
		return minute - minute % range.step().toMinutes();
	}

	@Override
	public int thin() {
		return this.database.transactions().run(() -> this.thinning.thin(minuteOf(now())));
	}

	@Override
	public int prune(Duration keep) {
		return this.database.transactions().run(() -> this.thinning.prune(minuteOf(now().minus(keep))));
	}

	private LocalDateTime now() {
		return this.database.sql(NOW).query((row, number) -> row.getObject("now_utc", LocalDateTime.class)).single();
	}

	private static long minuteOf(LocalDateTime time) {
		return Math.floorDiv(time.toEpochSecond(ZoneOffset.UTC), Duration.ofMinutes(1).toSeconds());
	}

	private static Instant time(long minute) {
		return Instant.EPOCH.plus(Duration.ofMinutes(minute));
	}

}
