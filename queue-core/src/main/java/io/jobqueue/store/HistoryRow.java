package io.jobqueue.store;

import java.util.Comparator;

/**
 * What happened to the jobs of a queue and a type; or how much was to be done, with an
 * empty type: in a queue, or with an empty queue in all.
 *
 * @param queue the queue
 * @param type the type
 * @param counts what happened
 */
public record HistoryRow(String queue, String type, HistoryCounts counts) {

	/** In place of queue and type, for all that are not told apart. */
	public static final String OTHERS = "*";

	/** In place of a type, and of a queue. */
	public static final String ALL = "";

	/** As the table's key has them: nodes that write rows in this order wait in turn. */
	public static final Comparator<HistoryRow> BY_KEY = Comparator.comparing(HistoryRow::queue)
		.thenComparing(HistoryRow::type);

}
