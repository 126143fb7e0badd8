package io.jobqueue.database;

import java.util.Map;
import java.util.WeakHashMap;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.JdbcTransactionObjectSupport;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionSynchronizationUtils;

/**
 * Keeps a {@link CallersTransaction} for each transaction of the application, by the
 * connection that it has bound to the thread. For that, this has to listen to the
 * application's transaction managers.
 * <p>
 * Spring shows only the innermost transaction of a thread. That may be one of another
 * DataSource, begun while the one on the queue's is open, or is over and its callbacks
 * run: the connection of the outer one stays bound all the same.
 */
public final class CallersTransactions implements TransactionExecutionListener {

	private static final StackWalker STACK = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

	/**
	 * A transaction binds a holder of its own, which is gone after the transaction.
	 */
	private static final ThreadLocal<Map<ConnectionHolder, CallersTransaction>> BY_CONNECTION = ThreadLocal
		.withInitial(WeakHashMap::new);

	private final ConfigurableTransactionManager manager;

	private CallersTransactions(ConfigurableTransactionManager manager) {
		this.manager = manager;
	}

	/**
	 * Listens to a transaction manager, unless this already does.
	 * @param manager the manager of transactions in which jobs may be enqueued
	 */
	public static void listenTo(ConfigurableTransactionManager manager) {
		if (manager.getTransactionExecutionListeners().stream().noneMatch(CallersTransactions.class::isInstance)) {
			manager.addListener(new CallersTransactions(manager));
		}
	}

	@Override
	public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
		if (failure != null || !transaction.isNewTransaction()) {
			return;
		}
		CallersTransaction begun = current();
		ConnectionHolder holder = connection(transaction);
		if (begun == null) {
			begun = new CallersTransaction();
			begun.register();
		}
		if (holder != null) {
			begun.isInside(of(holder));
			BY_CONNECTION.get().put(holder, begun);
		}
	}

	@Override
	public void beforeCommit(TransactionExecution transaction) {
		ends(transaction);
	}

	@Override
	public void beforeRollback(TransactionExecution transaction) {
		ends(transaction);
	}

	private void ends(TransactionExecution transaction) {
		ConnectionHolder holder = connection(transaction);
		CallersTransaction ending = (holder != null) ? of(holder) : null;
		if (ending != null) {
			ending.endsWith(EntityTransactions.ofManager(this.manager));
		}
	}

	@Override
	public void afterCommit(TransactionExecution transaction, @Nullable Throwable failure) {
		ended(transaction, failure == null);
	}

	@Override
	public void afterRollback(TransactionExecution transaction, @Nullable Throwable failure) {
		ended(transaction, false);
	}

	private static void ended(TransactionExecution transaction, boolean committed) {
		ConnectionHolder holder = connection(transaction);
		CallersTransaction ended = (holder != null) ? BY_CONNECTION.get().get(holder) : null;
		if (ended != null) {
			ended.endWithoutSynchronization(committed);
			BY_CONNECTION.get().put(holder, ended.orOuter());
		}
	}

	/**
	 * The managers of JDBC, JPA and Hibernate have a connection in their transactions. A
	 * nested one is a savepoint of a transaction that is already known.
	 */
	private static @Nullable ConnectionHolder connection(TransactionExecution transaction) {
		return (transaction instanceof DefaultTransactionStatus status && status.isNewTransaction()
				&& status.getTransaction() instanceof JdbcTransactionObjectSupport jdbc && jdbc.hasConnectionHolder())
						? jdbc.getConnectionHolder() : null;
	}

	/**
	 * The transaction that has bound a connection.
	 * @param holder the connection as it is bound
	 * @return the transaction, or null if its manager does not have this listener, or if
	 * the connection was not bound by the begin of a transaction
	 */
	static @Nullable CallersTransaction of(ConnectionHolder holder) {
		CallersTransaction kept = BY_CONNECTION.get().get(holder);
		return (kept != null) ? kept.orOuter() : null;
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
