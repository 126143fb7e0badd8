package io.jobqueue.store.jdbc.enqueue;

import java.util.HashSet;
import java.util.Set;

import org.springframework.transaction.support.ResourceHolderSupport;
import org.springframework.transaction.support.ResourceHolderSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The jobs that the caller's open transaction has enqueued by unique key, which nobody
 * else can see.
 */
final class UncommittedJobs extends ResourceHolderSupport {

	private static final Object KEY = UncommittedJobs.class;

	private final Set<Long> ids = new HashSet<>();

	private UncommittedJobs() {
	}

	/**
	 * Those of the transaction that Spring has open on this thread.
	 * @return their ids, to be added to; forgotten when the transaction is over
	 */
	static Set<Long> ofTransaction() {
		UncommittedJobs jobs = (UncommittedJobs) TransactionSynchronizationManager.getResource(KEY);
		if (jobs == null) {
			jobs = new UncommittedJobs();
			TransactionSynchronizationManager.bindResource(KEY, jobs);
			TransactionSynchronizationManager.registerSynchronization(new ResourceHolderSynchronization<>(jobs, KEY) {
			});
		}
		return jobs.ids;
	}

}
