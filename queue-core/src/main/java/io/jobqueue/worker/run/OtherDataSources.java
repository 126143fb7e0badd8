package io.jobqueue.worker.run;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import javax.sql.DataSource;

import io.jobqueue.worker.attempt.Attempt;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Notices transactional handlers that use another DataSource than the queue's. What they
 * write there is not part of their transaction, which nobody sees otherwise. Spring binds
 * the connections of such a DataSource to the thread: until the handler's transaction
 * ends or, in a transaction of their own, until that ends. So this looks when such a one
 * begins, and after the handler.
 */
public final class OtherDataSources {

	private static final Logger log = LoggerFactory.getLogger(OtherDataSources.class);

	private static final ThreadLocal<Runnable> LOOK = new ThreadLocal<>();

	private final DataSource own;

	/** Bounded: there is a handler for each type. */
	private final Set<String> told = ConcurrentHashMap.newKeySet();

	OtherDataSources(DataSource own) {
		this.own = target(own);
	}

	/**
	 * Listens to a transaction manager of the application.
	 * @param manager the manager
	 */
	public static void listenTo(ConfigurableTransactionManager manager) {
		manager.addListener(new TransactionExecutionListener() {

			@Override
			public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
				Runnable look = LOOK.get();
				if (look != null) {
					look.run();
				}
			}

		});
	}

	/**
	 * Calls a handler, and looks at what it uses.
	 */
	void watch(Attempt attempt, RunUnit.HandlerCall call) throws Exception {
		LOOK.set(() -> look(attempt));
		try {
			call.run();
			look(attempt);
		}
		finally {
			LOOK.remove();
		}
	}

	private void look(Attempt attempt) {
		String type = attempt.job().type();
		for (Object resource : TransactionSynchronizationManager.getResourceMap().keySet()) {
			if (resource instanceof DataSource used && target(used) != this.own && this.told.add(type)) {
				log.warn(
						"The transactional handler of {} jobs has used another DataSource than the job queue's: {}. What it "
								+ "writes there is not committed together with the job, and may be written twice; reading does "
								+ "no harm. This is said once",
						type, attempt.handler().invocation());
			}
		}
	}

	private static DataSource target(DataSource dataSource) {
		DataSource target = (dataSource instanceof DelegatingDataSource delegating) ? delegating.getTargetDataSource()
				: null;
		return (target != null) ? target(target) : dataSource;
	}

}
