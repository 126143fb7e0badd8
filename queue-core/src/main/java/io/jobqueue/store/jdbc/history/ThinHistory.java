package io.jobqueue.store.jdbc.history;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import io.jobqueue.database.Database;
import io.jobqueue.store.HistoryCounts;

/**
 * Makes what is old smaller. Of several nodes that do it at once one does a step, and the
 * others wait: what is summed up and deleted after that must not have changed meanwhile.
 */
final class ThinHistory {

	private static final List<Thinning> THINNINGS = List.of(new Thinning(1, 10, Duration.ofDays(1)),
			new Thinning(10, 60, Duration.ofDays(7)));

	private static final List<Integer> STEPS = List.of(60, 10, 1);

	/** A row of no step, which adds nothing, and is locked by that. */
	private static final String LOCK = "VALUES (0, 0, '', '', " + HistoryColumns.literals(HistoryCounts.NOTHING) + ")";

	private static final String OLDEST = """
			SELECT at_minute FROM jobqueue_history{byPrimary} WHERE step = :step ORDER BY at_minute LIMIT 1""";

	/**
	 * The parentheses have the sums of before the rows that are added to: both are of one
	 * table.
	 */
	private static final String SUMMED = "SELECT * FROM (SELECT CAST(:coarse AS SIGNED) AS step, "
			+ "CAST(:from AS SIGNED) AS at_minute, queue, type, " + HistoryColumns.ALL + """
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
			if (isDue(thinning, oldest(thinning.fine()), now)) {
				lock();
				Optional<Long> oldest = oldest(thinning.fine());
				return isDue(thinning, oldest, now) ? thin(thinning, oldest.orElseThrow()) : 0;
			}
		}
		return 0;
	}

	private static boolean isDue(Thinning thinning, Optional<Long> oldest, long now) {
		return oldest.isPresent()
				&& thinning.from(oldest.get()) + thinning.coarse() <= now - thinning.after().toMinutes();
	}

	private int thin(Thinning thinning, long oldest) {
		long from = thinning.from(oldest);
		long until = from + thinning.coarse();
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
			if (isOver(step, oldest(step), until)) {
				lock();
				Optional<Long> oldest = oldest(step);
				return isOver(step, oldest, until) ? delete(step, oldest.orElseThrow(), oldest.orElseThrow() + step)
						: 0;
			}
		}
		return 0;
	}

	private static boolean isOver(int step, Optional<Long> oldest, long until) {
		return oldest.isPresent() && oldest.get() + step <= until;
	}

	private void lock() {
		this.database.template().update(HistoryColumns.TABLE.from(this.database.dialect(), LOCK));
	}

	private Optional<Long> oldest(int step) {
		return this.database.sql(OLDEST).param("step", step).query(Long.class).optional();
	}

	private int delete(int step, long from, long until) {
		return this.database.sql(DELETE).param("step", step).param("from", from).param("until", until).update();
	}

	/**
	 * What is summed up, and when.
	 *
	 * @param fine how many minutes a row is of
	 * @param coarse how many minutes it is summed up to
	 * @param after the age at which that is done
	 */
	private record Thinning(int fine, int coarse, Duration after) {

		long from(long minute) {
			return minute - minute % this.coarse;
		}

	}

}
