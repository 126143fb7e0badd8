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
 * in the way of others, or because the type has a limit; the negative of it if they have
 * limit keys; 0 for all jobs that were not sorted out
 * @param degree how far the jobs are under suspicion
 * @param lifo whether the newest is claimed first
 * @param dueIn how long until its first job is due; zero or negative if one is
 * @param mode the queue's mode
 * @param limitId the number of the limit of the jobs' type; 0 for none
 */
public record ReadyRange(String queue, int priority, int typeId, Degree degree, boolean lifo, Duration dueIn,
		QueueMode mode, int limitId) {

	/**
	 * A range of jobs whose type has no limit.
	 */
	public ReadyRange(String queue, int priority, int typeId, Degree degree, boolean lifo, Duration dueIn,
			QueueMode mode) {
		this(queue, priority, typeId, degree, lifo, dueIn, mode, 0);
	}

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
		return new ReadyRange(this.queue, this.priority, this.typeId, this.degree, this.lifo, dueIn, this.mode,
				this.limitId);
	}

	public boolean isDue() {
		return this.dueIn.isZero() || this.dueIn.isNegative();
	}

	public boolean isSuspect() {
		return this.degree != Degree.NONE;
	}

	/**
	 * Whether its jobs are not claimed, but stay locked while they run. Suspects are
	 * claimed in every mode, and so are jobs that a limit counts.
	 */
	public boolean isRowLock() {
		return this.mode == QueueMode.ROW_LOCK && !isSuspect() && this.limitId == 0;
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

	/**
	 * Whether each of its jobs has a limit key.
	 */
	public boolean isOfLimitKeys() {
		return this.typeId < 0;
	}

}
