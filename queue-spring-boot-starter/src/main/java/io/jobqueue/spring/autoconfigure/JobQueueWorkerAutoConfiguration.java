package io.jobqueue.spring.autoconfigure;

import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import io.jobqueue.JobArchiveSink;
import io.jobqueue.JobInterceptor;
import io.jobqueue.JobListener;
import io.jobqueue.JobState;
import io.jobqueue.QueueMode;
import io.jobqueue.database.Database;
import io.jobqueue.maintenance.Chore;
import io.jobqueue.maintenance.DeadLetterUnknownStates;
import io.jobqueue.maintenance.Expire;
import io.jobqueue.maintenance.KeepIdsUnique;
import io.jobqueue.maintenance.Maintenance;
import io.jobqueue.maintenance.Prune;
import io.jobqueue.maintenance.QueueModes;
import io.jobqueue.maintenance.Rescue;
import io.jobqueue.maintenance.SweepWaitingJobs;
import io.jobqueue.maintenance.UnhandledTypes;
import io.jobqueue.node.QueueNode;
import io.jobqueue.node.Worker;
import io.jobqueue.observe.QueueObserver;
import io.jobqueue.spring.archive.ArchiveSinks;
import io.jobqueue.spring.schema.ClaimCheck;
import io.jobqueue.spring.worker.AutoStartup;
import io.jobqueue.spring.worker.BeforeStart;
import io.jobqueue.spring.worker.WorkerCheck;
import io.jobqueue.spring.worker.WorkerConnections;
import io.jobqueue.spring.worker.WorkerLifecycle;
import io.jobqueue.store.JobStore;
import io.jobqueue.store.Keep;
import io.jobqueue.store.QueueListeners;
import io.jobqueue.store.Queues;
import io.jobqueue.store.StoredJobQueue;
import io.jobqueue.store.WorkerSessions;
import io.jobqueue.worker.Extensions;
import io.jobqueue.worker.Handlers;
import io.jobqueue.worker.WorkerListener;
import io.jobqueue.worker.WorkerSettings;
import io.jobqueue.worker.run.HandlerTransaction;
import io.jobqueue.worker.run.JobListeners;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.thread.Threading;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.util.StringUtils;

/**
 * The worker of this application: handlers, slots, session and maintenance. Off with
 * {@code jobqueue.worker.enabled=false}, for applications that only enqueue.
 */
@AutoConfiguration(after = JobQueueAutoConfiguration.class)
@Import({ SettingsForAllConfiguration.class, OperatorChoresConfiguration.class, ExpectedHandlersConfiguration.class })
@ConditionalOnBean(StoredJobQueue.class)
@ConditionalOnBooleanProperty(name = "jobqueue.worker.enabled", matchIfMissing = true)
public final class JobQueueWorkerAutoConfiguration {

	private static final Duration EXPIRE_INTERVAL = Duration.ofSeconds(30);

	private static final Duration UNHANDLED_INTERVAL = Duration.ofSeconds(30);

	/** Leaves room for what marks a name as cut. */
	private static final int MAX_NAME = 200;

	private static final Duration MODES_INTERVAL = Duration.ofSeconds(15);

	private static final Duration IDS_INTERVAL = Duration.ofMinutes(5);

	@Bean
	@ConditionalOnMissingBean
	HandlerTransaction jobHandlerTransaction(QueueNode node, ObjectProvider<PlatformTransactionManager> any,
			@JobQueueDataSource ObjectProvider<PlatformTransactionManager> marked) {
		return node.handlerTransaction(QueueDataSource.transactionManager(node.database().dataSource(), any, marked));
	}

	@Bean
	@ConditionalOnMissingBean
	WorkerSettings jobQueueWorkerSettings(QueueNode node, JobQueueProperties properties, Environment environment) {
		JobQueueProperties.Worker worker = properties.worker();
		boolean virtualThreads = (worker.virtualThreads() != null) ? worker.virtualThreads()
				: Threading.VIRTUAL.isActive(environment);
		String name = (worker.name() != null) ? worker.name() : WorkerName.of(environment);
		List<String> queues = (worker.queues() != null) ? worker.queues() : List.of();
		return new WorkerSettings(name, queues,
				new WorkerSettings.Slots(worker.concurrency(), worker.prefetch(), virtualThreads, worker.flushSize(),
						worker.flushDelay()),
				new WorkerSettings.Timing(worker.pollInterval(), worker.heartbeatInterval(), worker.sessionTimeout(),
						worker.shutdownGrace()),
				new WorkerConnections(node.database().dataSource(), worker.concurrency(), properties.doorbell())
					.rowLockProblem(),
				shares(properties.queues()));
	}

	private static WorkerSettings.Shares shares(Map<String, QueueProperties> queues) {
		Map<String, Integer> weights = new TreeMap<>();
		Map<String, Integer> concurrency = new TreeMap<>();
		queues.forEach((name, queue) -> {
			if (queue.weight() != 1) {
				weights.put(name, queue.weight());
			}
			if (queue.concurrency() != null) {
				concurrency.put(name, queue.concurrency());
			}
		});
		return new WorkerSettings.Shares(weights, concurrency);
	}

	@Bean
	@ConditionalOnMissingBean
	QueueModes jobQueueModes(Queues queues, WorkerSettings settings, JobQueueProperties properties) {
		Map<String, QueueMode> own = new TreeMap<>();
		properties.queues().forEach((name, queue) -> {
			if (queue.mode() != null && settings.serves(name)) {
				own.put(name, queue.mode());
			}
		});
		return new QueueModes(queues, own, MODES_INTERVAL);
	}

	@Bean(destroyMethod = "")
	@ConditionalOnMissingBean
	Worker jobQueueWorker(QueueNode node, Handlers handlers, HandlerTransaction transaction, WorkerSettings settings,
			Extensions extensions) {
		return node.worker(handlers, transaction, settings, extensions);
	}

	@Bean
	@ConditionalOnMissingBean
	Extensions jobQueueExtensions(Handlers handlers, ObjectProvider<WorkerListener> own,
			ObjectProvider<JobListener> listeners, ObjectProvider<JobInterceptor> interceptors,
			ObjectProvider<QueueObserver> observer) {
		WorkerListener ofApplication = new JobListeners(listeners.orderedStream().toList(), handlers);
		return new Extensions(WorkerListener.all(Stream.concat(own.orderedStream(), Stream.of(ofApplication)).toList()),
				interceptors.orderedStream().toList(), observer.getIfAvailable(() -> QueueObserver.NONE));
	}

	@Bean
	@ConditionalOnMissingBean
	Rescue jobQueueRescue(QueueNode node, WorkerSettings settings) {
		return node.chores().rescue(settings.timing());
	}

	@Bean
	@ConditionalOnMissingBean
	KeepIdsUnique jobQueueKeepIdsUnique(JobStore store) {
		return new KeepIdsUnique(store, IDS_INTERVAL);
	}

	@Bean
	@ConditionalOnMissingBean
	UnhandledTypes jobQueueUnhandledTypes(JobStore store, WorkerSessions sessions) {
		return new UnhandledTypes(store, sessions, UNHANDLED_INTERVAL);
	}

	@Bean
	@ConditionalOnMissingBean
	Expire jobQueueExpire(QueueNode node) {
		return node.chores().expire(EXPIRE_INTERVAL);
	}

	@Bean
	@ConditionalOnMissingBean
	SweepWaitingJobs jobQueueSweepWaitingJobs(QueueNode node) {
		return node.chores().sweepWaitingJobs();
	}

	@Bean
	@ConditionalOnMissingBean
	DeadLetterUnknownStates jobQueueDeadLetterUnknownStates(QueueNode node) {
		return node.chores().deadLetterUnknownStates(EXPIRE_INTERVAL);
	}

	@Bean
	@ConditionalOnMissingBean
	Prune jobQueuePrune(JobStore store, Handlers handlers, JobQueueProperties properties, Environment environment,
			ObjectProvider<JobArchiveSink> sinks, ListableBeanFactory beans) {
		JobQueueProperties.Archive archive = properties.archive();
		Map<JobState, Keep> keep = new EnumMap<>(JobState.class);
		keep.put(JobState.SUCCEEDED, archive.keep(archive.succeeded()));
		keep.put(JobState.DEAD, archive.keep(archive.dead()));
		keep.put(JobState.CANCELLED, archive.keep(archive.cancelled()));
		keep.put(JobState.EXPIRED, archive.keep(archive.expired()));
		return new Prune(store, () -> applicationOf(environment, handlers), keep, archive.pruneInterval(),
				ArchiveSinks.of(sinks.orderedStream().toList(), (sink) -> SinkNames.of(sink, beans)));
	}

	@Bean(destroyMethod = "")
	@ConditionalOnMissingBean
	Maintenance jobQueueMaintenance(ObjectProvider<Chore> chores) {
		return new Maintenance(chores.orderedStream().toList());
	}

	/**
	 * Applications without a name are told apart by what they have handlers for.
	 */
	private static String applicationOf(Environment environment, Handlers handlers) {
		String name = environment.getProperty("spring.application.name");
		return StringUtils.hasText(name) ? StringUtils.truncate(name, MAX_NAME)
				: "handlers " + Integer.toHexString(handlers.types().hashCode());
	}

	@Bean
	@ConditionalOnMissingBean
	WorkerCheck jobQueueWorkerCheck(QueueNode node, WorkerSettings settings, Handlers handlers, QueueModes modes,
			JobQueueProperties properties, Environment environment) {
		Duration phaseTimeout = environment.getProperty("spring.lifecycle.timeout-per-shutdown-phase", Duration.class,
				Duration.ofSeconds(30));
		return new WorkerCheck(node.database().dataSource(), settings, handlers, modes, properties.doorbell(),
				phaseTimeout);
	}

	@Bean
	@ConditionalOnMissingBean
	ClaimCheck jobQueueClaimCheck(QueueNode node, WorkerSettings settings, QueueModes modes,
			JobQueueProperties properties) {
		return new ClaimCheck(node, settings, modes, properties.worker().claim());
	}

	@Bean
	@ConditionalOnMissingBean
	WorkerLifecycle jobQueueWorkerLifecycle(BeforeStart before, Worker worker, Maintenance maintenance,
			QueueListeners listeners, AutoStartup startup) {
		return new WorkerLifecycle(before, worker, maintenance, listeners, startup.value());
	}

}
