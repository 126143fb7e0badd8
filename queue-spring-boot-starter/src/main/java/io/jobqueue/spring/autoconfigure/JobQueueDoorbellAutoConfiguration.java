package io.jobqueue.spring.autoconfigure;

import java.sql.Connection;
import java.util.function.Consumer;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.jobqueue.database.Database;
import io.jobqueue.database.Dialect;
import io.jobqueue.node.QueueNode;
import io.jobqueue.node.Worker;
import io.jobqueue.spring.worker.AutoStartup;
import io.jobqueue.spring.worker.DoorbellLifecycle;
import io.jobqueue.store.QueueListeners;
import io.jobqueue.store.StoredJobQueue;
import io.jobqueue.worker.doorbell.CrossNodeWakeUp;
import org.jspecify.annotations.Nullable;

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
	CrossNodeWakeUp jobQueueCrossNodeWakeUp(QueueNode node, ObjectProvider<Worker> workers) {
		Worker worker = workers.getIfAvailable();
		return node.wakeUp(evicting(node.database().dataSource()), (worker != null) ? worker::wakeUp : null);
	}

	/**
	 * A pool can evict only connections of its own. Those of a DataSource that wraps it
	 * are others, so eviction is used for a plain pool only.
	 */
	private static @Nullable Consumer<Connection> evicting(DataSource dataSource) {
		boolean hikari = ClassUtils.isPresent("com.zaxxer.hikari.HikariDataSource", QueueNode.class.getClassLoader())
				&& dataSource instanceof HikariDataSource;
		return hikari ? ((HikariDataSource) dataSource)::evictConnection : null;
	}

	@Bean
	@ConditionalOnMissingBean
	DoorbellLifecycle jobQueueDoorbellLifecycle(CrossNodeWakeUp wakeUp, QueueListeners listeners, Database database,
			AutoStartup startup) {
		return new DoorbellLifecycle(wakeUp, listeners, database.dialect() != Dialect.H2, startup.value());
	}

}
