package io.jobqueue.spring.autoconfigure;

import java.util.Map;

import io.jobqueue.JobQueue;
import io.jobqueue.NewJob;
import io.jobqueue.history.HistoryRecorder;
import io.jobqueue.history.HistoryWriter;
import io.jobqueue.spring.worker.HistoryLifecycle;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;

class JobQueueHistoryAutoConfigurationTests extends AutoConfigurationTests {

	@Test
	void whatHappensIsWritten() {
		this.runner.withUserConfiguration(Greeter.class).run((context) -> {
			context.getBean(JobQueue.class).enqueue(NewJob.of("greet", "Ada"));
			Awaitility.await()
				.untilAsserted(() -> assertThat(written(context)).containsEntry("ENQUEUED", 1L)
					.containsEntry("STARTED", 1L)
					.containsEntry("SUCCEEDED", 1L)
					.containsEntry("FAILED", 0L));
		});
	}

	@Test
	void aNodeThatOnlyEnqueuesWritesToo() {
		this.runner.withPropertyValues("jobqueue.worker.enabled=false").run((context) -> {
			context.getBean(JobQueue.class).enqueue(NewJob.of("any"));
			assertThat(written(context)).containsEntry("ENQUEUED", 1L);
			assertThat(context.getBean(HistoryLifecycle.class).isRunning()).isTrue();
		});
	}

	@Test
	void howMuchThereIsToDoIsWritten() {
		this.runner.withUserConfiguration(Meters.class)
			.withPropertyValues("jobqueue.worker.enabled=false", "jobqueue.sample-interval=20ms")
			.run((context) -> {
				context.getBean(JobQueue.class).enqueue(NewJob.of("any"));
				Awaitility.await().untilAsserted(() -> assertThat(written(context)).containsEntry("READY", 1));
			});
	}

	private static Map<String, Object> written(ApplicationContext context) {
		context.getBean(HistoryWriter.class).write();
		return context.getBean(JdbcTemplate.class)
			.queryForMap("SELECT SUM(enqueued) AS enqueued, SUM(started) AS started, SUM(succeeded) AS succeeded, "
					+ "SUM(failed) AS failed, MAX(ready) AS ready FROM jobqueue_history");
	}

	@Test
	void itCanBeSwitchedOff() {
		this.runner.withPropertyValues("jobqueue.history.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(HistoryRecorder.class)
				.doesNotHaveBean(HistoryWriter.class));
	}

	@Test
	void itIsStoppedAfterTheWebServer() {
		this.runner.run((context) -> assertThat(context.getBean(HistoryLifecycle.class).getPhase())
			.isLessThan(WebServerApplicationContext.START_STOP_LIFECYCLE_PHASE));
	}

	@Test
	void aTimeThatIsTooShortIsRefused() {
		this.runner.withPropertyValues("jobqueue.history.keep=1h")
			.run((context) -> assertThat(context).getFailure().rootCause().hasMessageContaining("at least a day"));
	}

}
