package io.jobqueue.spring.autoconfigure;

import java.time.Duration;

import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What is kept of what happened: sums for each minute, queue and type.
 *
 * @param enabled whether this node adds to the history
 * @param keep how long it is kept, at least a day; the shortest time of all nodes holds
 * @param maxSeries how many pairs of queue and type this node tells apart in a minute;
 * the others are summed up together
 */
public record HistoryProperties(@DefaultValue("true") boolean enabled, @DefaultValue("90d") Duration keep,
		@DefaultValue("200") int maxSeries) {

	private static final Duration LEAST = Duration.ofDays(1);

	/** One statement writes them all. */
	private static final int MOST_SERIES = 1_000;

	public HistoryProperties {
		PropertyRules.check(keep.compareTo(LEAST) >= 0, "history.keep", "at least a day", keep);
		PropertyRules.check(maxSeries >= 1 && maxSeries <= MOST_SERIES, "history.max-series",
				"from 1 to " + MOST_SERIES, maxSeries);
	}

}
