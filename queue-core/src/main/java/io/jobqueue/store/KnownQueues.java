package io.jobqueue.store;

import io.jobqueue.NewJob;

/**
 * Which queues there are. A queue exists as soon as a job names it, so a mistyped name is
 * no mistake for certain: operators are told when nobody knows it.
 */
public final class KnownQueues {

	private final Queues queues;

	private final WorkerSessions sessions;

	/**
	 * Creates it.
	 * @param queues the queues that have live jobs or a setting
	 * @param sessions the workers
	 */
	public KnownQueues(Queues queues, WorkerSessions sessions) {
		this.queues = queues;
		this.sessions = sessions;
	}

	/**
	 * Whether a queue is the default one, has live jobs or a setting, or is named by a
	 * live worker. Two plain reads, so it is for operators.
	 * @param queue the queue's name
	 * @return true if so
	 */
	public boolean contains(String queue) {
		return queue.equals(NewJob.DEFAULT_QUEUE) || this.queues.isKnown(queue)
				|| this.sessions.list().stream().anyMatch((session) -> session.queues().contains(queue));
	}

}
