package io.jobqueue.dashboard.api;

import java.util.Locale;

import io.jobqueue.store.Queues;
import org.jspecify.annotations.Nullable;

/**
 * One queue.
 *
 * @param startedPerMinute how many attempts have started a minute in the last five; null
 * if nobody knows
 */
record QueueRow(String name, boolean paused, String order, String mode, long ready, long delayed, long waiting,
		long running, long suspects, double oldestSeconds, @Nullable Double startedPerMinute) {

	long live() {
		return this.ready + this.delayed + this.waiting + this.running;
	}

	static QueueRow of(Queues.Depth depth, @Nullable Double startedPerMinute) {
		return new QueueRow(depth.queue(), depth.paused(), depth.lifo() ? "lifo" : "fifo",
				depth.mode().name().toLowerCase(Locale.ROOT).replace('_', '-'), depth.ready(), depth.delayed(),
				depth.waiting(), depth.running(), depth.suspects(), depth.oldestAge().toMillis() / 1000.0,
				startedPerMinute);
	}

}
