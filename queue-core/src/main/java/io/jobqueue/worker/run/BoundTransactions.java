package io.jobqueue.worker.run;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.jobqueue.worker.attempt.Attempt;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.support.ResourceHolder;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionSynchronizationUtils;

/**
 * What Spring has bound to this thread before a handler runs. A handler that begins a
 * transaction by hand and does not end it leaves more behind: whatever ran on the thread
 * afterwards would take part in that transaction, and never be committed.
 */
final class BoundTransactions {

	private static final Logger log = LoggerFactory.getLogger(BoundTransactions.class);

	private final Map<Object, Object> resources;

	/**
	 * In the list of synchronizations as long as the transaction is the current one; null
	 * if there was none.
	 */
	private final @Nullable TransactionSynchronization mark;

	private BoundTransactions(Map<Object, Object> resources, @Nullable TransactionSynchronization mark) {
		this.resources = resources;
		this.mark = mark;
	}

	/**
	 * Notes what is bound now.
	 */
	static BoundTransactions now() {
		return new BoundTransactions(Map.copyOf(TransactionSynchronizationManager.getResourceMap()),
				TransactionSynchronizationManager.isSynchronizationActive() ? mark() : null);
	}

	/**
	 * Takes the synchronization that a transactional unit has registered, if there is
	 * one. Another one would cost time, since Spring sorts all of them for each callback.
	 */
	private static TransactionSynchronization mark() {
		List<TransactionSynchronization> known = TransactionSynchronizationManager.getSynchronizations();
		if (!known.isEmpty() && known.get(0) instanceof TransactionEnd end) {
			return end;
		}
		TransactionSynchronization mark = new TransactionSynchronization() {
		};
		TransactionSynchronizationManager.registerSynchronization(mark);
		return mark;
	}

	/**
	 * Whether a transaction was begun since then and is still open.
	 */
	boolean isLeftOpen() {
		if (this.mark != null) {
			return !TransactionSynchronizationManager.isSynchronizationActive()
					|| !TransactionSynchronizationManager.getSynchronizations().contains(this.mark);
		}
		return TransactionSynchronizationManager.isSynchronizationActive()
				|| TransactionSynchronizationManager.isActualTransactionActive()
				|| added().values().stream().anyMatch(ResourceHolder.class::isInstance);
	}

	/**
	 * Restores what was bound before an attempt, if that has left a transaction open:
	 * whatever a transaction manager has left on the thread is none of the next
	 * attempt's.
	 */
	void restoreAfter(Attempt attempt) {
		if (isLeftOpen()) {
			restore();
			attempt.marks().threadUnclean();
			log.warn(
					"A callback or listener of the handler of {} job {} has left a transaction open, which is rolled back. "
							+ "The handler is {}",
					attempt.job().type(), attempt.claim().id(), attempt.handler().invocation());
		}
	}

	/**
	 * Rolls back what is left open, gives its connections back, and binds again what was
	 * bound before.
	 */
	void restore() {
		Map<Object, Object> added = added();
		added.values().forEach(BoundTransactions::rollback);
		if (TransactionSynchronizationManager.isSynchronizationActive()) {
			List<TransactionSynchronization> synchronizations = TransactionSynchronizationManager.getSynchronizations();
			TransactionSynchronizationManager.clear();
			TransactionSynchronizationUtils.invokeAfterCompletion(synchronizations,
					TransactionSynchronization.STATUS_ROLLED_BACK);
		}
		TransactionSynchronizationManager.clear();
		added.forEach((key, value) -> {
			if (TransactionSynchronizationManager.unbindResourceIfPossible(key) != null) {
				close(value);
			}
		});
		Map<Object, Object> bound = TransactionSynchronizationManager.getResourceMap();
		this.resources.forEach((key, value) -> {
			if (!bound.containsKey(key)) {
				TransactionSynchronizationManager.bindResource(key, value);
			}
		});
		if (this.mark != null) {
			TransactionSynchronizationManager.initSynchronization();
			TransactionSynchronizationManager.setActualTransactionActive(true);
		}
	}

	private Map<Object, Object> added() {
		Map<Object, Object> bound = TransactionSynchronizationManager.getResourceMap();
		if (bound.isEmpty()) {
			return Map.of();
		}
		return bound.entrySet()
			.stream()
			.filter((entry) -> this.resources.get(entry.getKey()) != entry.getValue())
			.collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
	}

	private static void rollback(Object resource) {
		if (!(resource instanceof ConnectionHolder holder)) {
			return;
		}
		try {
			Connection connection = holder.getConnection();
			if (!connection.getAutoCommit()) {
				connection.rollback();
			}
		}
		catch (SQLException | RuntimeException ex) {
			log.debug("A transaction that a handler left open could not be rolled back; its connection is closed", ex);
		}
	}

	private static void close(Object resource) {
		if (!(resource instanceof ConnectionHolder holder)) {
			return;
		}
		try {
			holder.getConnection().close();
		}
		catch (SQLException | RuntimeException ex) {
			log.debug("The connection of a transaction that a handler left open could not be given back", ex);
		}
	}

}
