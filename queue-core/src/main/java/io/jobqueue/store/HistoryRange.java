package io.jobqueue.store;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * A part of the history, up to the last step that is over and has been written.
 *
 * @param length how far it goes back
 * @param step what is summed to one point; whole minutes, to which longer steps that were
 * stored are not cut
 * @param queue the queue; null for all
 * @param type the type; null for all
 */
public record HistoryRange(Duration length, Duration step, @Nullable String queue, @Nullable String type) {

	public HistoryRange {
		if (step.toMinutes() < 1 || !step.equals(Duration.ofMinutes(step.toMinutes())) || length.compareTo(step) < 0) {
			throw new IllegalArgumentException("A range of " + length + " cannot have steps of " + step);
		}
	}

}
