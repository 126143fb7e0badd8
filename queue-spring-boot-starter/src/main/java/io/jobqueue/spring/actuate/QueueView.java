package io.jobqueue.spring.actuate;

import java.util.Locale;

import io.jobqueue.store.Queues;

/**
 * One queue.
 *
 * @param name its name
 * @param paused whether it is paused
 * @param order {@code fifo} or {@code lifo}
 * @param mode {@code standard} or {@code row-lock}
 * @param ready due jobs that wait for a slot
 * @param delayed jobs that are not yet due
 * @param waiting jobs that wait for an earlier one of their order key, or for their limit
 * key
 * @param running claimed jobs
 * @param suspects how many of the ready and delayed ones are under suspicion
 * @param oldestAgeSeconds how long the first due job has waited
 */
public record QueueView(String name, boolean paused, String order, String mode, long ready, long delayed, long waiting,
		long running, long suspects, double oldestAgeSeconds) {

	long live() {
		return this.ready + this.delayed + this.waiting + this.running;
	}

	static QueueView of(Queues.Depth depth, boolean paused) {
		return new QueueView(depth.queue(), paused, depth.lifo() ? "lifo" : "fifo",
				depth.mode().name().toLowerCase(Locale.ROOT).replace('_', '-'), depth.ready(), depth.delayed(),
				depth.waiting(), depth.running(), depth.suspects(), depth.oldestAge().toMillis() / 1000.0);
	}

}
