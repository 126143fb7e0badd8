package io.jobqueue.store;

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
 * @param ready how many jobs of the queue were ready at most
 * @param oldestSeconds how long the oldest of them had waited at most
 */
public record HistoryCounts(long enqueued, long started, long succeeded, long failed, long dead, Histogram delay,
		Histogram ran, long ready, long oldestSeconds) {
}
