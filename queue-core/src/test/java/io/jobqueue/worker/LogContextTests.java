package io.jobqueue.worker;

import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.jobqueue.JobState;
import io.jobqueue.NewJob;
import io.jobqueue.test.ForEachDatabase;
import io.jobqueue.test.LogLines;
import io.jobqueue.worker.run.FailureLog;

import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Each line that is logged while a job runs names the job, and only that.
 */
@ForEachDatabase
class LogContextTests extends NodeTests {

	private final BlockingQueue<Map<String, String>> seen = new LinkedBlockingQueue<>();

	@Test
	void linesNameTheirJob() throws Exception {
		this.node.slots(1).handler("work", (payload, job) -> {
			this.seen.add(MDC.getCopyOfContextMap());
			MDC.put("mine", "left behind");
			if (payload != null) {
				throw new IllegalStateException(payload);
			}
		}).start();
		try (LogLines lines = LogLines.of(FailureLog.class)) {
			long first = this.node.queue.enqueue(NewJob.of("work", "fail").queue("mail").maxAttempts(1));
			assertThat(this.seen.poll(30, TimeUnit.SECONDS))
				.isEqualTo(Map.of("jobId", "" + first, "jobType", "work", "jobQueue", "mail", "jobAttempt", "1"));
			this.node.await(first, JobState.DEAD);
			assertThat(lines.events().get(0).getMDCPropertyMap()).containsEntry("jobId", "" + first);
		}
		long second = this.node.queue.enqueue("work");
		assertThat(this.seen.poll(30, TimeUnit.SECONDS)).doesNotContainKey("mine").containsEntry("jobId", "" + second);
	}

}
