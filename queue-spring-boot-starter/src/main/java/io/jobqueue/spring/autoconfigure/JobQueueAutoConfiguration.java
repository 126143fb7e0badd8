package io.jobqueue.spring.autoconfigure;

import javax.sql.DataSource;

import io.jobqueue.CurrentActor;
import io.jobqueue.JobQueue;
import io.jobqueue.Limits;
import io.jobqueue.PayloadFormat;
import io.jobqueue.QueueOrder;
import io.jobqueue.Schedules;
import io.jobqueue.database.Database;
import io.jobqueue.database.UnsupportedDatabaseException;
import io.jobqueue.node.KeyStores;
import io.jobqueue.node.OperatorStores;
import io.jobqueue.node.QueueNode;
import io.jobqueue.node.Stores;
import io.jobqueue.retry.BackoffPolicy;
import io.jobqueue.rule.HandlerDefaults;
import io.jobqueue.spring.handler.DeclaredSchedules;
import io.jobqueue.spring.handler.JobHandlerFinder;
import io.jobqueue.spring.handler.LateHandlerWarning;
import io.jobqueue.spring.payload.JacksonPayloads;
import io.jobqueue.spring.schema.JobQueueSchema;
import io.jobqueue.spring.schema.UnreachableDatabaseException;
import io.jobqueue.spring.schema.UnsuitableDatabaseException;
import io.jobqueue.store.JobStore;
import io.jobqueue.store.PayloadWriter;
import io.jobqueue.store.QueueListeners;
import io.jobqueue.store.Queues;
import io.jobqueue.store.RowLocks;
import io.jobqueue.store.ScheduleStore;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.store.StoredJobQueue;
import io.jobqueue.store.StoredSchedules;
import io.jobqueue.store.WorkerSessions;
import io.jobqueue.store.jdbc.JdbcJobStore;
import io.jobqueue.store.jdbc.JdbcQueues;
import io.jobqueue.store.jdbc.JdbcWorkerSessions;
import io.jobqueue.store.jdbc.rowlock.JdbcRowLocks;
import io.jobqueue.store.jdbc.schedule.JdbcScheduleStore;
import io.jobqueue.worker.Handlers;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.CannotGetJdbcConnectionException;

/**
 * The queue itself: tables, stores and {@link JobQueue}.
 */
@AutoConfiguration(afterName = { "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
		"org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration",
		"org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration",
		"org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration",
		"org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration" })
@ConditionalOnBean(DataSource.class)
@ConditionalOnBooleanProperty(name = "jobqueue.enabled", matchIfMissing = true)
@EnableConfigurationProperties(JobQueueProperties.class)
@Import({ AutoStartupConfiguration.class, OperatorConfiguration.class, ObservedListeners.class })
public final class JobQueueAutoConfiguration {

	@Bean
	static TransactionManagersTellTheQueue jobQueueTransactionManagers() {
		return new TransactionManagersTellTheQueue();
	}

	@Bean
	@ConditionalOnMissingBean
	Database jobQueueDatabase(ObjectProvider<DataSource> anyDataSource,
			@JobQueueDataSource ObjectProvider<DataSource> marked, JobQueueProperties properties) {
		BootVersion.check();
		DataSource chosen = QueueDataSource.choose(anyDataSource, marked);
		try {
			return new Database(chosen, properties.networkTimeout());
		}
		catch (UnsupportedDatabaseException ex) {
			throw new UnsuitableDatabaseException(ex,
					"Mark the DataSource of a supported database with @JobQueueDataSource, or do without the job queue: "
							+ "jobqueue.enabled=false.");
		}
		catch (CannotGetJdbcConnectionException ex) {
			throw new UnreachableDatabaseException(ex);
		}
	}

	@Bean
	@ConditionalOnMissingBean
	JobQueueSchema jobQueueSchema(Database database, JobQueueProperties properties) {
		return switch (properties.schema()) {
			case MIGRATE -> JobQueueSchema.migrated(database);
			case VALIDATE -> JobQueueSchema.validated(database);
			case NONE -> JobQueueSchema.untouched();
		};
	}

	@Bean
	@ConditionalOnMissingBean
	@DependsOnDatabaseInitialization
	JobStore jobQueueStore(Database database, StoreSettings settings) {
		try {
			return new JdbcJobStore(database, settings);
		}
		catch (UnsupportedDatabaseException ex) {
			throw new UnsuitableDatabaseException(ex, "Leave jobqueue.worker.claim at auto.");
		}
	}

	@Bean
	@ConditionalOnMissingBean
	StoreSettings jobQueueStoreSettings(JobQueueProperties properties) {
		return new StoreSettings(properties.archive().keepSucceeded(),
				Math.toIntExact(properties.inlinePayloadSize().toBytes()), properties.uniqueKeyRetention(),
				properties.worker().claim());
	}

	@Bean
	@ConditionalOnMissingBean
	@DependsOnDatabaseInitialization
	Queues jobQueueQueues(Database database, JobQueueProperties properties) {
		JdbcQueues queues = new JdbcQueues(database);
		properties.queues().forEach((name, queue) -> {
			if (queue.order() != null) {
				queues.setLifo(name, queue.order() == QueueOrder.LIFO);
			}
		});
		return queues;
	}

	@Bean
	@ConditionalOnMissingBean
	@DependsOnDatabaseInitialization
	WorkerSessions jobQueueWorkerSessions(Database database) {
		return new JdbcWorkerSessions(database);
	}

	@Bean
	@ConditionalOnMissingBean(PayloadFormat.class)
	JacksonPayloads jobQueuePayloads(ObjectProvider<JsonMapper> mapper) {
		return new JacksonPayloads(mapper.getIfAvailable(JsonMapper::new));
	}

	@Bean
	@ConditionalOnMissingBean
	QueueListeners jobQueueListeners() {
		return new QueueListeners();
	}

	@Bean
	@ConditionalOnMissingBean
	RowLocks jobQueueRowLocks(Database database, JobQueueProperties properties) {
		return new JdbcRowLocks(database, properties.archive().keepSucceeded());
	}

	@Bean
	@ConditionalOnMissingBean
	@DependsOnDatabaseInitialization
	ScheduleStore jobQueueScheduleStore(Database database, StoreSettings settings) {
		return new JdbcScheduleStore(database, settings);
	}

	@Bean
	@ConditionalOnMissingBean
	@DependsOnDatabaseInitialization
	KeyStores jobQueueKeyStores(Database database) {
		return KeyStores.on(database);
	}

	@Bean
	@ConditionalOnMissingBean
	Limits jobQueueLimits(QueueNode node) {
		return node.limits();
	}

	@Bean
	@ConditionalOnMissingBean
	Stores jobQueueStores(JobStore jobs, WorkerSessions sessions, Queues queues, RowLocks rowLocks,
			ScheduleStore schedules, KeyStores keys) {
		return new Stores(jobs, sessions, queues, rowLocks, schedules, keys);
	}

	@Bean
	@ConditionalOnMissingBean
	QueueNode jobQueueNode(Database database, Stores stores, OperatorStores operator, QueueListeners listeners,
			CurrentActor actor) {
		return new QueueNode(database, stores, operator, listeners, actor);
	}

	/**
	 * Handlers are looked for in an application without a worker too: payloads are
	 * written as what they read.
	 */
	@Bean
	@ConditionalOnMissingBean
	Handlers jobQueueHandlers() {
		return new Handlers();
	}

	@Bean
	@ConditionalOnMissingBean
	static JobHandlerFinder jobHandlerFinder(ConfigurableListableBeanFactory beans, PayloadFormat payloads,
			JobQueueProperties properties, Handlers handlers, DeclaredSchedules schedules) {
		JobQueueProperties.Retry retry = properties.retry();
		BackoffPolicy backoff = new BackoffPolicy(retry.delay(), retry.multiplier(), retry.maxDelay(), retry.jitter());
		return new JobHandlerFinder(beans, payloads,
				new HandlerDefaults(retry.maxAttempts(), backoff, properties.timeout(), properties.limits().keySet()),
				handlers, schedules);
	}

	@Bean
	@ConditionalOnMissingBean
	DeclaredSchedules jobQueueDeclaredSchedules() {
		return new DeclaredSchedules();
	}

	@Bean
	static LateHandlerWarning jobQueueLateHandlerWarning(ObjectProvider<Handlers> handlers,
			ConfigurableBeanFactory beans) {
		return new LateHandlerWarning(handlers, beans);
	}

	@Bean
	@ConditionalOnMissingBean(JobQueue.class)
	StoredJobQueue jobQueue(QueueNode node, PayloadFormat format, Handlers handlers, JobQueueProperties properties) {
		return node.queue(writer(format, handlers, properties));
	}

	@Bean
	@ConditionalOnMissingBean(Schedules.class)
	StoredSchedules jobQueueSchedules(QueueNode node, PayloadFormat format, Handlers handlers,
			JobQueueProperties properties) {
		return node.schedules(writer(format, handlers, properties));
	}

	private static PayloadWriter writer(PayloadFormat format, Handlers handlers, JobQueueProperties properties) {
		return new PayloadWriter(format, handlers::payloadType, Math.toIntExact(properties.maxPayloadSize().toBytes()));
	}

}
