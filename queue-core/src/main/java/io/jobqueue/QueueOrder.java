package io.jobqueue;

/**
 * Which due job of a queue is claimed first, among those of one priority. Set by
 * {@code jobqueue.queues.<name>.order}.
 */
public enum QueueOrder {

	/** The oldest. */
	FIFO,

	/** The newest. */
	LIFO

}
