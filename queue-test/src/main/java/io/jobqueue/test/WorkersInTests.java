package io.jobqueue.test;

import javax.sql.DataSource;

import io.jobqueue.database.Database;
import io.jobqueue.spring.autoconfigure.JobQueueProperties;
import io.jobqueue.spring.worker.AutoStartup;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.ConfigurableEnvironment;

/**
 * Keeps the worker of an application under test, which starts with the context, from a
 * database that may be somebody's: it would run the jobs there, with real mails, and no
 * test would say so. For tests that know nothing of the queue; with
 * {@link AutoConfigureJobQueue} the {@link Owner} sees to it.
 */
@Configuration(proxyBeanMethods = false)
class WorkersInTests {

	private static final Logger log = LoggerFactory.getLogger(WorkersInTests.class);

	/**
	 * Lazy, since there is no database where there is no queue.
	 */
	@Bean
	@Lazy
	AutoStartup jobQueueAutoStartup(JobQueueProperties properties, Database database,
			ConfigurableListableBeanFactory beans, ConfigurableEnvironment environment) {
		DataSource dataSource = database.dataSource();
		CommitCheck commits = new CommitCheck(beans, environment);
		boolean allowed = !properties.autoStartup() || commits.isForTests(dataSource);
		if (!allowed) {
			log.warn(
					"No worker starts in this test: it would run the jobs of the database '{}', which may be there for "
							+ "more than tests. {}",
					CommitCheck.name(dataSource), commits.advice(dataSource));
		}
		return new AutoStartup(properties.autoStartup() && allowed);
	}

}
