package io.jobqueue.test;

import io.jobqueue.PayloadFormat;
import io.jobqueue.database.Database;
import io.jobqueue.database.DatabaseForTests;
import io.jobqueue.maintenance.DeclareLimits;
import io.jobqueue.node.QueueNode;
import io.jobqueue.spring.autoconfigure.JobQueueProperties;
import io.jobqueue.spring.autoconfigure.JobQueueWorkerAutoConfiguration;
import io.jobqueue.spring.handler.DeclaredSchedules;
import io.jobqueue.spring.handler.HandlerLists;
import io.jobqueue.spring.worker.WorkerLifecycle;
import io.jobqueue.store.StoreSettings;
import io.jobqueue.worker.Extensions;
import io.jobqueue.worker.Handlers;
import io.jobqueue.worker.WorkerSettings;
import io.jobqueue.worker.run.HandlerTransaction;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.io.ResourceLoader;

/**
 * The {@link JobQueueTester}, and a clock that tests move.
 */
@AutoConfiguration(after = JobQueueWorkerAutoConfiguration.class)
@ConditionalOnBean(WorkerLifecycle.class)
final class JobQueueTestAutoConfiguration {

	@Bean
	static MovedDatabases jobQueueMovedDatabases() {
		return new MovedDatabases(new TestTime(), new TestThread());
	}

	@Bean
	static CommitCheck jobQueueCommitCheck(ConfigurableListableBeanFactory beans, ConfigurableEnvironment environment) {
		return new CommitCheck(beans, environment);
	}

	@Bean
	TesterParts jobQueueTesterParts(QueueNode node, StoreSettings storeSettings, Handlers handlers,
			HandlerTransaction transaction, WorkerSettings settings, Extensions extensions) {
		return new TesterParts(node, storeSettings, handlers, transaction, settings, extensions);
	}

	@Bean
	TesterSetup jobQueueTesterSetup(DeclareLimits limits, DeclaredSchedules schedules, JobQueueProperties properties,
			PayloadFormat format, WorkerLifecycle worker, ResourceLoader resources,
			ConfigurableListableBeanFactory beans) {
		return new TesterSetup(limits, schedules, properties.schedules().revision(), new HandlerLists(resources, beans),
				format, worker);
	}

	@Bean
	Owner jobQueueTestOwner(TesterParts parts, TesterSetup setup, CommitCheck commits, MovedDatabases databases) {
		return new Owner(parts, setup, commits, databases.time);
	}

	/**
	 * It checks before the worker starts.
	 */
	@Bean
	static LazyInitializationExcludeFilter jobQueueTestOwnerIsNotLazy() {
		return LazyInitializationExcludeFilter.forBeanTypes(Owner.class);
	}

	@Bean
	JobQueueTester jobQueueTester(TesterParts parts, TesterSetup setup, Owner owner, MovedDatabases databases) {
		return new JobQueueTester(parts, setup, owner, databases.time, databases.thread);
	}

	/**
	 * Has the application's queue use the clock of the tests, and be part of their
	 * transactions.
	 */
	static final class MovedDatabases implements BeanPostProcessor {

		private final TestTime time;

		private final TestThread thread;

		MovedDatabases(TestTime time, TestThread thread) {
			this.time = time;
			this.thread = thread;
		}

		@Override
		public Object postProcessAfterInitialization(Object bean, String name) {
			return (bean instanceof Database database)
					? DatabaseForTests.of(database, this.time, () -> this.thread.isInside(database.callers())) : bean;
		}

	}

}
