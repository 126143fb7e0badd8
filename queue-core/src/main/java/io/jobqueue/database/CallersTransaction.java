package io.jobqueue.database;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;

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

	private boolean synchronizedWithSpring;

	private boolean over;

	private @Nullable BooleanSupplier active;

	private @Nullable CallersTransaction outer;

	CallersTransaction() {
	}

	/**
	 * Lets the innermost transaction of this thread tell this of its end. One without
	 * synchronizations calls nobody afterwards, so that nobody need know its end.
	 */
	void register() {
		if (TransactionSynchronizationManager.isSynchronizationActive()) {
			TransactionSynchronizationManager.registerSynchronization(this);
			this.synchronizedWithSpring = true;
		}
	}

	/**
	 * Two managers of one DataSource may share a connection: that of JDBC begins on the
	 * one that JPA's has bound.
	 * @param other the transaction that had bound the connection before, or null
	 */
	void isInside(@Nullable CallersTransaction other) {
		this.outer = (other != this) ? other : null;
	}

	/**
	 * Which transaction its connection belongs to: itself until it is over.
	 */
	CallersTransaction orOuter() {
		return (this.outer != null && isOver()) ? this.outer : this;
	}

	/**
	 * Its commit or rollback begins.
	 * @param active tells whether it is still active, or null if nobody can call the
	 * queue before Spring knows of the end
	 */
	void endsWith(@Nullable BooleanSupplier active) {
		this.active = active;
	}

	boolean isOver() {
		return this.over || this.active != null && !this.active.getAsBoolean();
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

	/**
	 * Spring's transaction manager has ended it. A transaction with synchronizations has
	 * been told before.
	 */
	void endWithoutSynchronization(boolean committed) {
		if (!this.synchronizedWithSpring) {
			if (committed) {
				afterCommit();
			}
			afterCompletion(committed ? STATUS_COMMITTED : STATUS_ROLLED_BACK);
		}
	}

	@Override
	public void afterCommit() {
		this.over = true;
		this.afterCommit.forEach(Runnable::run);
	}

	@Override
	public void afterCompletion(int outcome) {
		this.over = true;
		this.active = null;
		// Its thread may keep this for long, and they have payloads.
		this.afterCommit.clear();
		this.uncommitted.clear();
	}

}
