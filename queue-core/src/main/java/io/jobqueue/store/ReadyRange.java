package io.jobqueue.store;

import java.time.Duration;

import io.jobqueue.QueueMode;
import io.jobqueue.poison.Suspicion.Degree;

/**
 * The ready jobs of one queue and priority that stand beside each other in the claim
 * index: what one statement can take from.
 *
 * @param queue the queue
 * @param priority the priority
 * @param typeId the number of the jobs' type, if they were sorted out because they were
 * in the way of others; 0 for all jobs that were not
 * @param degree how far the jobs are under suspicion
 * @param lifo whether the newest is claimed first
 * @param dueIn how long until its first job is due; zero or negative if one is
 * @param mode the queue's mode
 */
public record ReadyRange(String queue, int priority, int typeId, Degree degree, boolean lifo, Duration dueIn,
		QueueMode mode) {

	/**
	 * A range of a queue in the mode {@link QueueMode#STANDARD}.
	 */
	public ReadyRange(String queue, int priority, int typeId, Degree degree, boolean lifo, Duration dueIn) {
		this(queue, priority, typeId, degree, lifo, dueIn, QueueMode.STANDARD);
	}

	/**
	 * The same range at another time.
	 * @param dueIn how long until its first job is due then
	 * @return the range
	 */
	public ReadyRange withDueIn(Duration dueIn) {
		return new ReadyRange(this.queue, this.priority, this.typeId, this.degree, this.lifo, dueIn, this.mode);
	}

	public boolean isDue() {
		return this.dueIn.isZero() || this.dueIn.isNegative();
	}

	public boolean isSuspect() {
		return this.degree != Degree.NONE;
	}

	/**
	 * Whether its jobs are not claimed, but stay locked while they run. Suspects are
	 * claimed in every mode.
	 */
	public boolean isRowLock() {
		return this.mode == QueueMode.ROW_LOCK && !isSuspect();
	}

	/**
	 * The range without the time, by which it is known again.
	 * @return the range, due
	 */
	public ReadyRange key() {
		return withDueIn(Duration.ZERO);
	}

	/**
	 * Whether its jobs may be of any type.
	 * @return false if they were sorted out by their type
	 */
	public boolean isOfAnyType() {
		return this.typeId == 0;
	}

}
