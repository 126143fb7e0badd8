package io.jobqueue.neighbour.start;

import java.time.Duration;

import io.jobqueue.JobHandler;
import io.jobqueue.JobQueue;
import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;

/**
 * An application whose beans are made when they are first needed still runs its jobs:
 * nobody but the queue needs a handler.
 */
class LazyInitializationTests {

	@Test
	void theWorkerStartsAndFindsHandlers() {
		SpringApplication application = new SpringApplication(Application.class);
		application.setWebApplicationType(WebApplicationType.NONE);
		application.setLazyInitialization(true);
		try (ConfigurableApplicationContext context = application.run("--spring.datasource.url=jdbc:h2:mem:lazy",
				"--spring.liquibase.enabled=false")) {
			JobQueue jobs = context.getBean(JobQueue.class);
			long id = jobs.enqueue(NewJob.of("hello", "world"));
			Awaitility.await()
				.atMost(Duration.ofSeconds(20))
				.until(() -> jobs.find(id).orElseThrow().state() == JobState.SUCCEEDED);
		}
	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	@Import(Hello.class)
	static class Application {

	}

	static class Hello {

		@JobHandler("hello")
		void hello(String whom) {
		}

	}

}
