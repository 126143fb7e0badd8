package io.jobqueue.test;

import io.jobqueue.database.CallersConnection;

import org.springframework.core.NamedThreadLocal;
import org.springframework.test.context.transaction.TestTransaction;

/**
 * Whether what the queue does on a thread is part of the transaction that a test has open
 * there.
 */
final class TestThread {

	/** Null while no jobs run; true if they run in the transaction of a test. */
	private final ThreadLocal<Boolean> running = new NamedThreadLocal<>("whether a test runs jobs in its transaction");

	/**
	 * Asked for whatever the queue does on this thread.
	 * @param callers tells which transaction is open
	 */
	boolean isInside(CallersConnection callers) {
		return callers.bound() != null && (Boolean.TRUE.equals(this.running.get()) || TestTransaction.isActive())
				&& isOpen(callers);
	}

	/**
	 * Whether a transaction is open that jobs are to run in.
	 */
	static boolean isOpen(CallersConnection callers) {
		return callers.phase() == CallersConnection.Phase.OPEN;
	}

	/**
	 * Begins to run jobs.
	 * @param inside whether in the transaction of the test; else transactions that are
	 * open later are those of handlers
	 * @throws IllegalStateException if this thread does so already
	 */
	void enter(boolean inside) {
		if (this.running.get() != null) {
			throw new IllegalStateException("A handler that the tester runs has called the tester");
		}
		this.running.set(inside);
	}

	void leave() {
		this.running.remove();
	}

}
