package io.jobqueue.store;

import org.jspecify.annotations.Nullable;

/**
 * What happened within a time, and how much there was to do.
 *
 * @param enqueued how many jobs the nodes have enqueued; what other programs insert is
 * not among them
 * @param started how many attempts have started
 * @param succeeded how many jobs have succeeded
 * @param failed how many attempts have failed, the last one of a dead job among them
 * @param dead how many jobs are dead after an attempt; those that are dead without one,
 * as after the loss of their workers, are not among them
 * @param delay how long jobs have waited after they were available
 * @param ran how long handlers have run
 * @param most how much there was to do; null if that was not measured
 */
public record HistoryCounts(long enqueued, long started, long succeeded, long failed, long dead, Histogram delay,
		Histogram ran, @Nullable Most most) {

	/** Nothing happened, and nothing was measured. */
	public static final HistoryCounts NOTHING = new HistoryCounts(0, 0, 0, 0, 0, Histogram.EMPTY, Histogram.EMPTY,
			null);

	/**
	 * Nothing happened, but this was to be done.
	 */
	public static HistoryCounts of(Most most) {
		return new HistoryCounts(0, 0, 0, 0, 0, Histogram.EMPTY, Histogram.EMPTY, most);
	}

	/**
	 * How much there was to do, at most.
	 *
	 * @param ready how many jobs were ready
	 * @param oldestSeconds how long the oldest of them had waited
	 */
	public record Most(long ready, long oldestSeconds) {

		/** Another program may write any time. */
		private static final long LIMIT = Integer.MAX_VALUE;

		public Most {
			ready = Math.min(ready, LIMIT);
			oldestSeconds = Math.min(oldestSeconds, LIMIT);
		}

		/**
		 * The larger of each.
		 */
		public Most or(@Nullable Most other) {
			return (other == null) ? this
					: new Most(Math.max(this.ready, other.ready), Math.max(this.oldestSeconds, other.oldestSeconds));
		}

	}

}
