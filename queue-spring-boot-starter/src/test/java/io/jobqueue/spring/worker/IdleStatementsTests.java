package io.jobqueue.spring.worker;

import java.util.List;

import javax.sql.DataSource;

import io.jobqueue.JobHandler;
import io.jobqueue.Recurring;
import io.jobqueue.test.WatchedDataSource;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What an application with a schedule, a limit, meters and the endpoint asks the database
 * while it has nothing to do. A slow machine asks less.
 */
class IdleStatementsTests {

	private static final int SECONDS = 8;

	/**
	 * After the start, and before what comes every half minute. The history comes with
	 * each full minute, which may be any of these seconds, so it is left out.
	 */
	private static final long SETTLE_MILLIS = 6_000;

	@Test
	void anIdleNodeTakesLessThanTwoStatementsASecond() throws InterruptedException {
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
			.web(WebApplicationType.NONE)
			.properties("spring.datasource.generate-unique-name=true", "spring.main.banner-mode=off",
					"jobqueue.limits.partner.running=5", "jobqueue.history.enabled=false",
					"management.endpoints.web.exposure.include=health,jobqueue,metrics")
			.run()) {
			WatchedDataSource watched = (WatchedDataSource) context.getBean(DataSource.class);
			Thread.sleep(SETTLE_MILLIS);
			List<WatchedDataSource.Executed> before = watched.executed();
			int commits = watched.commits();
			Thread.sleep(SECONDS * 1_000);
			List<WatchedDataSource.Executed> after = watched.executed();
			List<String> asked = after.subList(before.size(), after.size())
				.stream()
				.map(WatchedDataSource.Executed::sql)
				.toList();
			assertThat(asked).as("it polls").isNotEmpty().hasSizeLessThan(2 * SECONDS);
			assertThat(watched.commits()).as("transactions").isEqualTo(commits);
		}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		@Bean
		static BeanPostProcessor watch() {
			return new BeanPostProcessor() {
				@Override
				public Object postProcessAfterInitialization(Object bean, String beanName) {
					return (bean instanceof DataSource dataSource) ? new WatchedDataSource(dataSource) : bean;
				}
			};
		}

		@JobHandler(value = "call-partner", limit = "partner")
		void call() {
			// Nothing is enqueued.
		}

		@JobHandler("yearly-report")
		@Recurring(name = "yearly-report", cron = "0 0 0 1 1 *")
		void report() {
			// Unless the year begins while this test runs.
		}

	}

}
