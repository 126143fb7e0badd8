package io.jobqueue.store;

import java.util.List;
import java.util.function.Consumer;

/**
 * What an enqueue has stored.
 *
 * @param ids the jobs' ids in the order given; where a unique key was taken, the id of
 * the job that took it
 * @param stored the jobs that were stored, which leaves out those whose unique key was
 * taken
 * @param afterCommit runs something once they are committed: at once if they are, else
 * after the commit of the caller's transaction
 */
public record Enqueued(List<Long> ids, List<EnqueuedJob> stored, Consumer<Runnable> afterCommit) {

	/**
	 * What is committed.
	 * @param ids the jobs' ids
	 * @param stored the jobs that were stored
	 */
	public Enqueued(List<Long> ids, List<EnqueuedJob> stored) {
		this(ids, stored, Runnable::run);
	}

	/**
	 * The same in a transaction of the caller's.
	 * @param afterCommit runs something after its commit
	 * @return what was stored and shares that transaction's outcome
	 */
	public Enqueued sharing(Consumer<Runnable> afterCommit) {
		return new Enqueued(this.ids, this.stored, afterCommit);
	}

}
