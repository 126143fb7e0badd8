package io.jobqueue.database;

import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;

/**
 * Transactions of the queue's own; inside the transaction of a test they are savepoints.
 */
final class InsideTransactionManager implements PlatformTransactionManager {

	private final PlatformTransactionManager own;

	private final SavepointTransactionManager savepoints;

	private final BooleanSupplier inside;

	InsideTransactionManager(PlatformTransactionManager own, SavepointTransactionManager savepoints,
			BooleanSupplier inside) {
		this.own = own;
		this.savepoints = savepoints;
		this.inside = inside;
	}

	boolean isInside() {
		return this.inside.getAsBoolean();
	}

	@Override
	public TransactionStatus getTransaction(@Nullable TransactionDefinition definition) {
		return (isInside() ? this.savepoints : this.own).getTransaction(definition);
	}

	@Override
	public void commit(TransactionStatus status) {
		managerOf(status).commit(status);
	}

	@Override
	public void rollback(TransactionStatus status) {
		managerOf(status).rollback(status);
	}

	private PlatformTransactionManager managerOf(TransactionStatus status) {
		return SavepointTransactionManager.isSavepoint(status) ? this.savepoints : this.own;
	}

}
