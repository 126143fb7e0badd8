package io.jobqueue.spring.autoconfigure;

import javax.sql.DataSource;

import io.jobqueue.database.CallersTransactions;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.ResourceTransactionManager;
import org.springframework.util.ReflectionUtils;

/**
 * Which DataSource the queue lives in, and which transaction manager is for it.
 */
final class QueueDataSource {

	private QueueDataSource() {
	}

	static DataSource choose(ObjectProvider<DataSource> any, ObjectProvider<DataSource> marked) {
		long several = marked.stream().count();
		if (several > 1) {
			throw AmbiguousDataSourceException.marked(several);
		}
		DataSource chosen = marked.getIfAvailable(any::getIfUnique);
		if (chosen == null) {
			throw AmbiguousDataSourceException.unmarked(any.stream().count());
		}
		return chosen;
	}

	/**
	 * Finds the transaction manager that the application uses for a DataSource, so that a
	 * transactional handler joins what the application's own transactional code does.
	 */
	static PlatformTransactionManager transactionManager(DataSource dataSource,
			ObjectProvider<PlatformTransactionManager> any, ObjectProvider<PlatformTransactionManager> marked) {
		PlatformTransactionManager chosen = marked.getIfAvailable();
		if (chosen != null) {
			return chosen;
		}
		PlatformTransactionManager unique = any.getIfUnique();
		if (unique != null && isFor(unique, dataSource)) {
			return unique;
		}
		return any.stream()
			.filter((candidate) -> isFor(candidate, dataSource))
			.findFirst()
			.orElseGet(() -> ownFor(dataSource));
	}

	private static PlatformTransactionManager ownFor(DataSource dataSource) {
		JdbcTransactionManager own = new JdbcTransactionManager(dataSource);
		CallersTransactions.listenTo(own);
		return own;
	}

	/**
	 * JPA's and Hibernate's managers know their DataSource too, but are not on the class
	 * path of everybody.
	 */
	private static boolean isFor(PlatformTransactionManager manager, DataSource dataSource) {
		if (manager instanceof ResourceTransactionManager resource && resource.getResourceFactory() == dataSource) {
			return true;
		}
		var getter = ReflectionUtils.findMethod(manager.getClass(), "getDataSource");
		return getter != null && ReflectionUtils.invokeMethod(getter, manager) == dataSource;
	}

}
