package io.jobqueue.store;

import java.time.Instant;

/**
 * What happened within one step of time.
 *
 * @param at when the step began
 * @param counts what happened
 */
public record HistoryPoint(Instant at, HistoryCounts counts) {
}
