package io.jobqueue.store;

import java.util.Comparator;

/**
 * What happened to the jobs of a queue and a type.
 *
 * @param queue the queue; empty for those that are not told apart
 * @param type the type; empty for those that are not told apart, and for how much a queue
 * has to do
 * @param counts what happened
 */
public record HistoryRow(String queue, String type, HistoryCounts counts) {

	/** As the table's key has them: nodes that write rows in this order wait in turn. */
	public static final Comparator<HistoryRow> BY_KEY = Comparator.comparing(HistoryRow::queue)
		.thenComparing(HistoryRow::type);

}
