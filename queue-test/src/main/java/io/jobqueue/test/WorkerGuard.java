package io.jobqueue.test;

import javax.sql.DataSource;

import io.jobqueue.database.Database;
import io.jobqueue.node.Worker;
import io.jobqueue.spring.worker.AutoStartup;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.env.ConfigurableEnvironment;

/**
 * Keeps the worker of an application under test, which starts with the context, from a
 * database that may be somebody's: it would run the jobs there, with real mails, and no
 * test would say so. For tests that know nothing of the queue; with
 * {@link AutoConfigureJobQueue} the {@link Owner} sees to it.
 */
final class WorkerGuard implements BeanPostProcessor {

	private static final Logger log = LoggerFactory.getLogger(WorkerGuard.class);

	private final ConfigurableListableBeanFactory beans;

	private final ConfigurableEnvironment environment;

	WorkerGuard(ConfigurableListableBeanFactory beans, ConfigurableEnvironment environment) {
		this.beans = beans;
		this.environment = environment;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String name) {
		return (bean instanceof AutoStartup startup && startup.value()) ? new AutoStartup(isAllowed()) : bean;
	}

	private boolean isAllowed() {
		DataSource dataSource = this.beans.getBean(Database.class).dataSource();
		CommitCheck commits = new CommitCheck(this.beans, this.environment);
		if (commits.isForTests(dataSource)) {
			return true;
		}
		if (this.beans.getBeanNamesForType(Worker.class, true, false).length > 0) {
			String database = CommitCheck.name(dataSource);
			log.warn(
					"No worker starts in this test: it would run the jobs of the database '{}', which may be there for "
							+ "more than tests. If it is for tests alone, set {}={} in a properties file of the tests",
					database, CommitCheck.NAME, database);
		}
		return false;
	}

}
