package io.jobqueue.store.jdbc.history;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import io.jobqueue.database.Database;

/**
 * Makes what is old smaller. Two nodes that do it at once do it one after the other: who
 * comes second finds the rows gone for which it has waited.
 */
final class ThinHistory {

	private static final List<Thinning> THINNINGS = List.of(new Thinning(1, 10, Duration.ofDays(1)),
			new Thinning(10, 60, Duration.ofDays(7)));

	private static final List<Integer> STEPS = List.of(60, 10, 1);

	private static final String OLDEST = """
			SELECT at_minute FROM jobqueue_history{byPrimary} WHERE step = :step ORDER BY at_minute LIMIT 1""";

	private static final String LOCK = """
			SELECT at_minute FROM jobqueue_history{byPrimary}
			WHERE step = :step AND at_minute >= :from AND at_minute < :until
			FOR UPDATE""";

	/**
	 * The parentheses have the sums of before the rows that are added to: both are of one
	 * table.
	 */
	private static final String SUMMED = "SELECT * FROM (SELECT CAST(:coarse AS SIGNED) AS step, "
			+ "CAST(:from AS SIGNED) AS at_minute, queue, type, " + HistoryColumns.TOTALS + """
					 FROM jobqueue_history{byPrimary}
					WHERE step = :step AND at_minute >= :from AND at_minute < :until
					GROUP BY queue, type) AS summed""";

	private static final String DELETE = """
			{delete jobqueue_history} WHERE step = :step AND at_minute >= :from AND at_minute < :until""";

	private final Database database;

	ThinHistory(Database database) {
		this.database = database;
	}

	/**
	 * Sums up the oldest rows, within the caller's transaction.
	 * @param now the minute that it is
	 * @return how many rows were summed up
	 */
	int thin(long now) {
		for (Thinning thinning : THINNINGS) {
			Optional<Long> oldest = oldest(thinning.fine());
			if (oldest.isPresent()) {
				long from = oldest.get() - oldest.get() % thinning.coarse();
				long until = from + thinning.coarse();
				if (until <= now - thinning.after().toMinutes() && lock(thinning.fine(), from, until)) {
					return thin(thinning, from, until);
				}
			}
		}
		return 0;
	}

	private int thin(Thinning thinning, long from, long until) {
		this.database.sql(HistoryColumns.TABLE.from(this.database.dialect(), SUMMED))
			.param("coarse", thinning.coarse())
			.param("step", thinning.fine())
			.param("from", from)
			.param("until", until)
			.update();
		return delete(thinning.fine(), from, until);
	}

	/**
	 * Deletes the oldest rows, within the caller's transaction.
	 * @param until the minute until which rows are too old
	 * @return how many rows were deleted
	 */
	int prune(long until) {
		for (int step : STEPS) {
			Optional<Long> oldest = oldest(step);
			if (oldest.isPresent() && oldest.get() + step <= until) {
				return delete(step, oldest.get(), oldest.get() + step);
			}
		}
		return 0;
	}

	private Optional<Long> oldest(int step) {
		return this.database.sql(OLDEST).param("step", step).query(Long.class).optional();
	}

	private boolean lock(int step, long from, long until) {
		return !this.database.sql(LOCK)
			.param("step", step)
			.param("from", from)
			.param("until", until)
			.query(Long.class)
			.list()
			.isEmpty();
	}

	private int delete(int step, long from, long until) {
		return this.database.sql(DELETE)
			.param("step", step)
			.param("from", from)
			.param("until", until)
			.update();
	}

	/**
	 * What is summed up, and when.
	 *
	 * @param fine how many minutes a row is of
	 * @param coarse how many minutes it is summed up to
	 * @param after the age at which that is done
	 */
	private record Thinning(int fine, int coarse, Duration after) {

	}

}
