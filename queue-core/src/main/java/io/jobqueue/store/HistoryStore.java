package io.jobqueue.store;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/**
 * What happened in the last hours, days and weeks, summed for each minute, queue and
 * type. It outlives the jobs. Each method is a transaction of its own.
 */
public interface HistoryStore {

	/**
	 * Adds to a minute: that of half a minute before the counts were taken, by the
	 * database's clock.
	 * @param rows what happened, each queue and type once
	 * @param ago how long ago they were taken
	 */
	void add(List<HistoryRow> rows, Supplier<Duration> ago);

	/**
	 * Reads a part of the history.
	 * @param range which
	 * @return the steps, and until when they are
	 */
	HistoryPoint.Line line(HistoryRange range);

	/**
	 * Sums up a part of the history for each queue and type.
	 * @param range which
	 * @param limit how many at most
	 * @return the sums, those with the most attempts first
	 */
	List<HistoryRow> sums(HistoryRange range, int limit);

	/**
	 * Sums up what is old to longer steps: minutes to ten minutes after a day, these to
	 * hours after a week.
	 * @return how many rows were summed up; 0 if there is nothing more to do
	 */
	int thin();

	/**
	 * Deletes some of what is older than a time.
	 * @param keep the time
	 * @return how many rows were deleted; 0 if there is nothing more to do
	 */
	int prune(Duration keep);

}
