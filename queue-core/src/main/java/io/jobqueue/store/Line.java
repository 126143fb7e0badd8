package io.jobqueue.store;

import java.time.Duration;

/**
 * The ready jobs of one queue and priority: what one claim statement can take from.
 *
 * @param queue the queue
 * @param priority the priority
 * @param suspect whether these are jobs under suspicion of having crashed their worker
 * @param lifo whether the newest is claimed first
 * @param dueIn how long until its first job is due; zero or negative if one is
 */
public record Line(String queue, int priority, boolean suspect, boolean lifo, Duration dueIn) {

	/**
	 * The same line at another time.
	 * @param dueIn how long until its first job is due then
	 * @return the line
	 */
	public Line withDueIn(Duration dueIn) {
		return new Line(this.queue, this.priority, this.suspect, this.lifo, dueIn);
	}

	public boolean isDue() {
		return this.dueIn.isZero() || this.dueIn.isNegative();
	}

}
