package io.jobqueue.test;

import io.jobqueue.database.CallersConnection;

import org.springframework.core.NamedThreadLocal;
import org.springframework.test.context.transaction.TestTransaction;

/**
 * Whether what the queue does on a thread is part of the transaction that a test has open
 * there.
 */
final class TestThread {

	private final ThreadLocal<Boolean> running = new NamedThreadLocal<>("whether a test runs jobs in its transaction");

	/**
	 * Asked for whatever the queue does on this thread.
	 * @param callers tells which transaction is open
	 */
	boolean isInside(CallersConnection callers) {
		return callers.bound() != null && (this.running.get() != null || TestTransaction.isActive()) && isOpen(callers);
	}

	/**
	 * Whether a transaction is open that jobs are to run in.
	 */
	static boolean isOpen(CallersConnection callers) {
		return callers.phase() == CallersConnection.Phase.OPEN;
	}

	void enter() {
		this.running.set(true);
	}

	void leave() {
		this.running.remove();
	}

}
