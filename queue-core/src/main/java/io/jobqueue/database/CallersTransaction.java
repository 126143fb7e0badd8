package io.jobqueue.database;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * A transaction of the application, as far as the queue has to know it: whether it is
 * over, and what it has enqueued. In callbacks after a commit or rollback it is over,
 * though everything else looks as before. So this is the first of its synchronizations to
 * be told of the end.
 */
public final class CallersTransaction implements TransactionSynchronization, PriorityOrdered {

	private final Set<Long> uncommitted = new HashSet<>();

	private final List<Runnable> afterCommit = new ArrayList<>();

	private boolean over;

	CallersTransaction() {
	}

	/**
	 * Lets the innermost transaction of this thread tell this of its end. One without
	 * synchronizations calls nobody afterwards, so that nobody need know its end.
	 */
	void register() {
		if (TransactionSynchronizationManager.isSynchronizationActive()) {
			TransactionSynchronizationManager.registerSynchronization(this);
		}
	}

	boolean isOver() {
		return this.over;
	}

	/**
	 * The jobs that it has enqueued by unique key, which nobody else can see before its
	 * commit.
	 * @return their ids, to be added to
	 */
	public Set<Long> uncommittedJobs() {
		return this.uncommitted;
	}

	/**
	 * Runs something after the commit.
	 * @param action what to run; it must not fail
	 */
	public void afterCommit(Runnable action) {
		this.afterCommit.add(action);
	}

	@Override
	public int getOrder() {
		return Ordered.HIGHEST_PRECEDENCE;
	}

	@Override
	public void afterCommit() {
		this.over = true;
		this.afterCommit.forEach(Runnable::run);
	}

	@Override
	public void afterCompletion(int outcome) {
		this.over = true;
		// Its thread may keep this for long, and they have payloads.
		this.afterCommit.clear();
		this.uncommitted.clear();
	}

}
