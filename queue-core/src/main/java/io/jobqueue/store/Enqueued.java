package io.jobqueue.store;

import java.util.List;

/**
 * What an enqueue has stored.
 *
 * @param ids the jobs' ids in the order given; where a unique key was taken, the id of
 * the job that took it
 * @param stored the jobs that were stored, which leaves out those whose unique key was
 * taken
 * @param isCommitted whether they are committed; else they share the outcome of the
 * caller's transaction
 */
public record Enqueued(List<Long> ids, List<EnqueuedJob> stored, boolean isCommitted) {

	/**
	 * The same after the commit.
	 * @return what was stored and committed
	 */
	public Enqueued committed() {
		return new Enqueued(this.ids, this.stored, true);
	}

}
