package io.jobqueue.spring.autoconfigure;

import io.jobqueue.database.CallersTransactions;
import io.jobqueue.worker.run.OtherDataSources;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.transaction.ConfigurableTransactionManager;

/**
 * Lets every transaction manager tell the queue when a transaction is over, so that an
 * enqueue in a callback after it is not taken for a part of it; and when one begins, so
 * that a transactional handler which uses another database is noticed.
 */
final class TransactionManagersTellTheQueue implements BeanPostProcessor {

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (bean instanceof ConfigurableTransactionManager manager) {
			CallersTransactions.listenTo(manager);
			OtherDataSources.listenTo(manager);
		}
		return bean;
	}

}
