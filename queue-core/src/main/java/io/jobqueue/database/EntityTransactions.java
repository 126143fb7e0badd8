package io.jobqueue.database;

import java.util.List;
import java.util.function.BooleanSupplier;

import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityTransaction;
import org.jspecify.annotations.Nullable;

import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.support.ResourceTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/**
 * The transactions of JPA, which call the application while Spring waits for their
 * commit: before it, when they write entities, and after it. Only they know which.
 */
final class EntityTransactions {

	private static final boolean PRESENT = ClassUtils.isPresent("org.springframework.orm.jpa.EntityManagerHolder",
			EntityTransactions.class.getClassLoader())
			&& ClassUtils.isPresent("jakarta.persistence.EntityTransaction", EntityTransactions.class.getClassLoader());

	private EntityTransactions() {
	}

	/**
	 * Whether the transaction of a manager is active, to be asked later.
	 * @param manager the manager
	 * @return the question, or null if the manager is not one of JPA
	 */
	static @Nullable BooleanSupplier ofManager(TransactionManager manager) {
		return (PRESENT && manager instanceof ResourceTransactionManager resource)
				? Jpa.ofFactory(resource.getResourceFactory()) : null;
	}

	/**
	 * Writes what the persistence contexts of this thread have not written yet.
	 */
	static void flushBound() {
		if (PRESENT) {
			Jpa.bound().forEach(EntityManager::flush);
		}
	}

	/**
	 * Has the persistence contexts of this thread forget what they have read and changed.
	 */
	static void clearBound() {
		if (PRESENT) {
			Jpa.bound().forEach(EntityManager::clear);
		}
	}

	/**
	 * JPA is not on everybody's class path.
	 */
	private static final class Jpa {

		static List<EntityManager> bound() {
			return TransactionSynchronizationManager.getResourceMap()
				.values()
				.stream()
				.filter(EntityManagerHolder.class::isInstance)
				.map((holder) -> ((EntityManagerHolder) holder).getEntityManager())
				.filter(EntityManager::isJoinedToTransaction)
				.toList();
		}

		static @Nullable BooleanSupplier ofFactory(Object factory) {
			if (TransactionSynchronizationManager.getResource(factory) instanceof EntityManagerHolder holder) {
				EntityTransaction transaction = holder.getEntityManager().getTransaction();
				return transaction::isActive;
			}
			return null;
		}

	}

}
