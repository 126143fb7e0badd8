package io.jobqueue.database;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionSynchronizationUtils;

/**
 * Keeps a {@link CallersTransaction} for each transaction of the application, by the
 * connection that it has bound to the thread. For that, this listener has to be added to
 * the application's transaction managers.
 * <p>
 * Spring shows only the innermost transaction of a thread. That may be one of another
 * DataSource, begun while the one on the queue's is open, or is over and its callbacks
 * run: the connection of the outer one stays bound all the same.
 */
public final class CallersTransactions implements TransactionExecutionListener {

	private static final StackWalker STACK = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

	/**
	 * Each transaction binds a holder of its own, which is gone after the transaction.
	 */
	private static final ThreadLocal<Map<ConnectionHolder, CallersTransaction>> BY_CONNECTION = ThreadLocal
		.withInitial(WeakHashMap::new);

	/**
	 * What was bound before each transaction that is about to begin, the innermost first:
	 * a DataSource may need one to find a connection for another.
	 */
	private static final ThreadLocal<Deque<Set<ConnectionHolder>>> BOUND_BEFORE = ThreadLocal
		.withInitial(ArrayDeque::new);

	@Override
	public void beforeBegin(TransactionExecution transaction) {
		BOUND_BEFORE.get().push(bound());
	}

	@Override
	public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
		Set<ConnectionHolder> own = bound();
		Deque<Set<ConnectionHolder>> before = BOUND_BEFORE.get();
		// Nothing, if this listener was added after the begin.
		own.removeAll(before.isEmpty() ? Set.copyOf(own) : before.pop());
		if (before.isEmpty()) {
			BOUND_BEFORE.remove();
		}
		if (failure == null) {
			CallersTransaction begun = current();
			if (begun == null) {
				begun = new CallersTransaction();
				begun.register();
			}
			for (ConnectionHolder holder : own) {
				BY_CONNECTION.get().put(holder, begun);
			}
		}
	}

	private static Set<ConnectionHolder> bound() {
		Set<ConnectionHolder> holders = Collections.newSetFromMap(new IdentityHashMap<>());
		for (Object resource : TransactionSynchronizationManager.getResourceMap().values()) {
			if (resource instanceof ConnectionHolder holder) {
				holders.add(holder);
			}
		}
		return holders;
	}

	/**
	 * The transaction that has bound a connection.
	 * @param holder the connection as it is bound
	 * @return the transaction, or null if its manager does not have this listener, or if
	 * the connection was not bound by the begin of a transaction
	 */
	static @Nullable CallersTransaction of(ConnectionHolder holder) {
		return BY_CONNECTION.get().get(holder);
	}

	/**
	 * The innermost transaction of this thread.
	 * @return the transaction, or null if there is none, if its manager does not have
	 * this listener, or if Spring has ended its synchronizations
	 */
	static @Nullable CallersTransaction current() {
		if (TransactionSynchronizationManager.isSynchronizationActive()) {
			for (TransactionSynchronization synchronization : TransactionSynchronizationManager.getSynchronizations()) {
				if (synchronization instanceof CallersTransaction transaction) {
					return transaction;
				}
			}
		}
		return null;
	}

	/**
	 * Whether a callback after the end of some transaction is under way. It may have
	 * begun a new one, so this alone does not tell which are over.
	 */
	static boolean isInCallback() {
		return STACK.walk((frames) -> frames
			.anyMatch((frame) -> frame.getDeclaringClass() == TransactionSynchronizationUtils.class
					&& frame.getMethodName().matches("(trigger|invoke)After.*")));
	}

}
