package io.jobqueue.store.jdbc.history;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.stream.Collectors;

import io.jobqueue.database.Database;
import io.jobqueue.store.HistoryPoint;
import io.jobqueue.store.HistoryRange;
import io.jobqueue.store.HistoryRow;
import io.jobqueue.store.HistoryStore;

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

	/** A node writes within a few seconds after the minute that it writes about. */
	private static final Duration AFTER_MINUTE = Duration.ofSeconds(30);

	private static final String IN_RANGE = """
			FROM jobqueue_history{byPrimary}
			WHERE step IN (1, 10, 60) AND at_minute >= :from AND at_minute < :until""";

	private final Database database;

	private final ThinHistory thinning;

	public JdbcHistory(Database database) {
		this.database = database;
		this.thinning = new ThinHistory(database);
	}

	@Override
	public void add(List<HistoryRow> rows) {
		if (rows.isEmpty()) {
			return;
		}
		this.database.transactions().run(() -> {
			long minute = minuteOf(now().minus(AFTER_MINUTE));
			String values = rows.stream()
				.sorted(HistoryRow.BY_KEY)
				.map((row) -> "(1, " + minute + ", ?, ?, " + HistoryColumns.literals(row.counts()) + ")")
				.collect(Collectors.joining(", ", "VALUES ", ""));
			StatementSpec statement = this.database.sql(HistoryColumns.TABLE.from(this.database.dialect(), values));
			for (HistoryRow row : rows.stream().sorted(HistoryRow.BY_KEY).toList()) {
				statement = statement.param(row.queue()).param(row.type());
			}
			return statement.update();
		});
	}

	@Override
	public List<HistoryPoint> points(HistoryRange range) {
		long step = range.step().toMinutes();
		return this.database.read(() -> select(
				"place, " + HistoryColumns.TOTALS_OF_QUEUES + " FROM (SELECT FLOOR(at_minute / " + step
						+ ") AS place, queue, " + HistoryColumns.TOTALS,
				range, "GROUP BY FLOOR(at_minute / " + step + "), queue) queues GROUP BY place ORDER BY place")
			.query((row, number) -> new HistoryPoint(
					Instant.EPOCH.plus(Duration.ofMinutes(row.getLong("place") * step)), HistoryColumns.read(row)))
			.list());
	}

	@Override
	public List<HistoryRow> sums(HistoryRange range, int limit) {
		return this.database.read(() -> select("queue, type, " + HistoryColumns.TOTALS, range,
				"GROUP BY queue, type ORDER BY SUM(started) DESC, queue, type LIMIT :limit")
			.param("limit", limit)
			.query((row, number) -> new HistoryRow(row.getString("queue"), row.getString("type"),
					HistoryColumns.read(row)))
			.list());
	}

	private StatementSpec select(String columns, HistoryRange range, String end) {
		String filter = ((range.queue() != null) ? " AND queue = :queue" : "")
				+ ((range.type() != null) ? " AND type = :type" : "");
		long step = range.step().toMinutes();
		long until = (minuteOf(now()) / step + 1) * step;
		StatementSpec statement = this.database.sql("SELECT " + columns + "\n" + IN_RANGE + filter + "\n" + end)
			.param("from", until - range.length().toMinutes())
			.param("until", until);
		if (range.queue() != null) {
			statement = statement.param("queue", range.queue());
		}
		return (range.type() != null) ? statement.param("type", range.type()) : statement;
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
		return this.database.sql(NOW)
			.query((row, number) -> row.getObject("now_utc", LocalDateTime.class))
			.single();
	}

	private static long minuteOf(LocalDateTime time) {
		return Math.floorDiv(time.toEpochSecond(ZoneOffset.UTC), Duration.ofMinutes(1).toSeconds());
	}

}
