package io.jobqueue.store;

import java.time.Instant;
import java.util.List;

/**
 * What happened within one step of time.
 *
 * @param at when the step began
 * @param counts what happened
 */
public record HistoryPoint(Instant at, HistoryCounts counts) {

	/**
	 * Some of them.
	 *
	 * @param until when the last step ends that is over, whether or not something
	 * happened in it
	 * @param points the steps in which something happened, the oldest first
	 */
	public record Line(Instant until, List<HistoryPoint> points) {

	}

}
