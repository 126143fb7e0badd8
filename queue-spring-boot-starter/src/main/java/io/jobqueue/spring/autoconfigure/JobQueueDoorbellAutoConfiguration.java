package io.jobqueue.spring.autoconfigure;

import com.zaxxer.hikari.HikariDataSource;
import io.jobqueue.database.Database;
import io.jobqueue.database.Dialect;
import io.jobqueue.node.Worker;
import io.jobqueue.spring.worker.DoorbellLifecycle;
import io.jobqueue.store.QueueListeners;
import io.jobqueue.store.StoredJobQueue;
import io.jobqueue.store.jdbc.KillDoorbell;
import io.jobqueue.worker.doorbell.CrossNodeWakeUp;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.util.ClassUtils;

/**
 * Wakes the workers of other nodes at once, with {@code jobqueue.doorbell=true}.
 */
@AutoConfiguration(after = JobQueueWorkerAutoConfiguration.class)
@ConditionalOnBean(StoredJobQueue.class)
@ConditionalOnBooleanProperty(name = "jobqueue.doorbell")
public final class JobQueueDoorbellAutoConfiguration {

	@Bean(destroyMethod = "")
	@ConditionalOnMissingBean
	CrossNodeWakeUp jobQueueCrossNodeWakeUp(Database database, ObjectProvider<Worker> workers) {
		Worker worker = workers.getIfAvailable();
		return new CrossNodeWakeUp(() -> doorbell(database), (worker != null) ? worker::wakeUp : null);
	}

	/**
	 * A pool that stands behind a proxy would not know the proxy's connections as its
	 * own.
	 */
	private static KillDoorbell doorbell(Database database) {
		boolean hikari = ClassUtils.isPresent("com.zaxxer.hikari.HikariDataSource", KillDoorbell.class.getClassLoader())
				&& database.dataSource() instanceof HikariDataSource;
		return hikari
				? new KillDoorbell(database, System::nanoTime,
						((HikariDataSource) database.dataSource())::evictConnection)
				: new KillDoorbell(database, System::nanoTime);
	}

	@Bean
	@ConditionalOnMissingBean
	DoorbellLifecycle jobQueueDoorbellLifecycle(CrossNodeWakeUp wakeUp, QueueListeners listeners, Database database) {
		return new DoorbellLifecycle(wakeUp, listeners, database.dialect() != Dialect.H2);
	}

}
