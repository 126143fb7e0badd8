package io.jobqueue.test.shop;

import java.time.Duration;

import io.jobqueue.JobQueue;
import io.jobqueue.NewJob;
import io.jobqueue.node.Worker;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.timeout;
import static org.mockito.Mockito.verify;

/**
 * Tests that know nothing of the queue: the worker starts with their application.
 */
@ExtendWith(OutputCaptureExtension.class)
class PlainTests {

	@Nested
	@SpringBootTest(properties = { "jobqueue.limits.api.starts=1",
			"spring.datasource.url=jdbc:h2:file:./target/plain/${random.uuid}/shop" })
	class OnADatabaseThatMayBeSomebodys {

		@Autowired
		Worker worker;

		@MockitoBean
		Mailer mailer;

		@Test
		void noWorkerStarts(CapturedOutput output) {
			assertThat(this.worker.isRunning()).isFalse();
			assertThat(output).contains("No worker starts in this test: it would run the jobs of the database 'SHOP'")
				.contains("jobqueue-test.database=SHOP");
		}

	}

	@Nested
	@SpringBootTest(properties = { "jobqueue.limits.api.starts=1", "jobqueue-test.database=SHOP",
			"spring.datasource.url=jdbc:h2:file:./target/plain/${random.uuid}/shop" })
	class OnADatabaseThatIsNamed {

		@Autowired
		Worker worker;

		@MockitoBean
		Mailer mailer;

		@Test
		void itStarts() {
			assertThat(this.worker.isRunning()).isTrue();
		}

	}

	@Nested
	@SpringBootTest(properties = { "jobqueue.limits.api.starts=1", "spring.datasource.generate-unique-name=true" })
	class OnADatabaseInMemory {

		@Autowired
		JobQueue jobs;

		@MockitoBean
		Mailer mailer;

		@Test
		void itRunsJobs() {
			this.jobs.enqueue(NewJob.of("in-order", "plain"));
			verify(this.mailer, timeout(Duration.ofSeconds(20).toMillis())).send("plain");
		}

	}

	@Nested
	@SpringBootTest(properties = { "jobqueue.enabled=false", "spring.datasource.generate-unique-name=true" },
			classes = WithoutTheQueue.Nothing.class)
	class WithoutTheQueue {

		@Test
		void theContextStarts() {
			assertThat(getClass()).isNotNull();
		}

		static class Nothing {

		}

	}

}
