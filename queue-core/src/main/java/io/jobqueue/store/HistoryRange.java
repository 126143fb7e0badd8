package io.jobqueue.store;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * A part of the history that ends now.
 *
 * @param length how far it goes back
 * @param step what is summed to one point; whole minutes. A step that is shorter than
 * what was stored shows that as it is
 * @param queue the queue; null for all
 * @param type the type; null for all
 */
public record HistoryRange(Duration length, Duration step, @Nullable String queue, @Nullable String type) {

	public HistoryRange {
		if (step.toMinutes() < 1 || length.compareTo(step) < 0) {
			throw new IllegalArgumentException("A range of " + length + " cannot have steps of " + step);
		}
	}

}
