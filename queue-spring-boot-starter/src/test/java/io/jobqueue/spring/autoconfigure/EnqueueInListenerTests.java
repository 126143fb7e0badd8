package io.jobqueue.spring.autoconfigure;

import java.util.ArrayList;
import java.util.List;

import javax.sql.DataSource;

import io.jobqueue.JobQueue;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Enqueueing in a {@code @TransactionalEventListener} in its default phase, after the
 * commit.
 */
class EnqueueInListenerTests extends AutoConfigurationTests {

	@ParameterizedTest
	@CsvSource({ "true, true", "true, false", "false, true", "false, false" })
	void theJobIsThere(boolean autoCommit, boolean managerOfTheApplication) {
		this.runner
			.withPropertyValues("spring.datasource.hikari.auto-commit=" + autoCommit, "jobqueue.worker.enabled=false")
			.withUserConfiguration(Listener.class)
			.withUserConfiguration(managerOfTheApplication ? OwnManager.class : Nothing.class)
			.run((context) -> {
				TransactionTemplate transaction = new TransactionTemplate(
						context.getBean(PlatformTransactionManager.class));
				transaction.executeWithoutResult((status) -> context.publishEvent("placed"));
				List<Long> ids = context.getBean(Listener.class).ids;
				assertThat(ids).hasSize(1);
				assertThat(context.getBean(JobQueue.class).find(ids.get(0))).isPresent();
			});
	}

	@Configuration(proxyBeanMethods = false)
	static class Nothing {

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnManager {

		@Bean
		PlatformTransactionManager transactions(DataSource dataSource) {
			return new DataSourceTransactionManager(dataSource);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement
	static class Listener {

		private final List<Long> ids = new ArrayList<>();

		private final JobQueue queue;

		Listener(JobQueue queue) {
			this.queue = queue;
		}

		@TransactionalEventListener
		void placed(String event) {
			this.ids.add(this.queue.enqueue("send-receipt", event));
		}

	}

}
