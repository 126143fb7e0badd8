package io.jobqueue.worker;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;

import io.jobqueue.JobState;
import io.jobqueue.QueueMode;
import io.jobqueue.test.Thorough;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Workers on a row-lock queue.
 */
class WorkerInRowLockTests extends WorkerTests {

	@Override
	QueueMode mode() {
		Thorough.unlessOnMySql(this.testDatabase);
		return QueueMode.ROW_LOCK;
	}

	@Override
	@Test
	void rescueAllowsForTheTimeoutAndForTheTimeThatAJobWaitsForASlot() throws Exception {
		CountDownLatch started = new CountDownLatch(1);
		CountDownLatch release = new CountDownLatch(1);
		this.node.handler("slow", Duration.ofMinutes(1), (payload, job) -> {
			started.countDown();
			release.await();
		}).start();
		long id = this.node.queue.enqueue("slow");
		await(started);
		assertThat(this.node.sql.queryForObject(
				"SELECT TIMESTAMPDIFF(SECOND, started_at, deadline_at) FROM jobqueue_start WHERE job_id = ?",
				Long.class, id))
			.as("it has waited for a slot already: timeout + margin")
			.isEqualTo(60 + 30);
		release.countDown();
		this.node.await(id, JobState.SUCCEEDED);
	}

}
