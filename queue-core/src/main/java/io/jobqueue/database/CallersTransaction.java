package io.jobqueue.database;

import org.jspecify.annotations.Nullable;

import org.springframework.core.Ordered;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionSynchronizationUtils;

/**
 * Tells whether the transaction that Spring shows on this thread is still open. In
 * callbacks after a commit or rollback it is over, though everything else looks as
 * before: synchronizations are active and its connection is bound. So each transaction
 * gets a synchronization of ours when it begins, which is the first to be told of the
 * end. For that, this listener has to be added to the transaction managers of the
 * application.
 */
public final class CallersTransaction implements TransactionExecutionListener {

	private static final StackWalker STACK = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

	@Override
	public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
		if (failure == null && TransactionSynchronizationManager.isSynchronizationActive() && find() == null) {
			TransactionSynchronizationManager.registerSynchronization(new End());
		}
	}

	/**
	 * The phase of the transaction that Spring shows on this thread.
	 * @return the phase
	 */
	public static Phase phase() {
		if (!TransactionSynchronizationManager.isActualTransactionActive()) {
			return Phase.NONE;
		}
		if (!TransactionSynchronizationManager.isSynchronizationActive()) {
			// Spring ends it before it calls those who wait for the completion.
			return Phase.OVER;
		}
		End end = find();
		if (end != null) {
			return end.over ? Phase.OVER : Phase.OPEN;
		}
		return isInCallback() ? Phase.UNKNOWN : Phase.OPEN;
	}

	private static @Nullable End find() {
		for (TransactionSynchronization synchronization : TransactionSynchronizationManager.getSynchronizations()) {
			if (synchronization instanceof End end) {
				return end;
			}
		}
		return null;
	}

	/**
	 * Whether a callback after the end of some transaction is under way. It may have
	 * begun a new one, so this alone does not tell the phase.
	 */
	private static boolean isInCallback() {
		return STACK.walk((frames) -> frames
			.anyMatch((frame) -> frame.getDeclaringClass() == TransactionSynchronizationUtils.class
					&& frame.getMethodName().matches("(trigger|invoke)After.*")));
	}

	/**
	 * Where a transaction is in its life.
	 */
	public enum Phase {

		/** There is none. */
		NONE,

		/** It can be joined. */
		OPEN,

		/** It was committed or rolled back. */
		OVER,

		/**
		 * A callback runs after the end of a transaction whose manager does not have this
		 * listener; whether it has begun another one cannot be told.
		 */
		UNKNOWN

	}

	/**
	 * Notes the end of one transaction before any other callback runs.
	 */
	private static final class End implements TransactionSynchronization, Ordered {

		private boolean over;

		@Override
		public int getOrder() {
			return Ordered.HIGHEST_PRECEDENCE;
		}

		@Override
		public void afterCommit() {
			this.over = true;
		}

		@Override
		public void afterCompletion(int outcome) {
			this.over = true;
		}

	}

}
