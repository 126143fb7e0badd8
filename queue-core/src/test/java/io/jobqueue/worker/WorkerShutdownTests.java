package io.jobqueue.worker;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.jobqueue.Job;
import io.jobqueue.JobState;
import io.jobqueue.test.ForEachDatabase;
import io.jobqueue.worker.WorkerSettings.Timing;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a worker that stops does with the jobs it holds.
 */
@ForEachDatabase
class WorkerShutdownTests extends NodeTests {

	@Test
	void aShutdownLetsAttemptsEndAndGivesTheRestBackUnrun() throws Exception {
		CountDownLatch started = new CountDownLatch(1);
		CountDownLatch release = new CountDownLatch(1);
		this.node.slots(1).handler("slow", (payload, job) -> {
			started.countDown();
			release.await();
		}).start();
		long running = this.node.queue.enqueue("slow");
		List<Long> waiting = enqueue("slow", 2);
		await(started);
		Thread stop = beginToStop();
		release.countDown();
		stop.join(30_000);
		assertThat(this.node.job(running).state()).isEqualTo(JobState.SUCCEEDED);
		assertGivenBackUnrun(waiting);
		assertThat(this.node.count("jobqueue_session")).isZero();
	}

	@Test
	void anAttemptThatTheGracePeriodCutsOffCounts() throws Exception {
		CountDownLatch started = new CountDownLatch(1);
		this.node
			.timing(new Timing(Duration.ofMillis(200), Duration.ofMillis(200), Duration.ofSeconds(2),
					Duration.ofMillis(100)))
			.handler("slow", (payload, job) -> {
				started.countDown();
				TimeUnit.MINUTES.sleep(5);
			})
			.start();
		long id = this.node.queue.enqueue("slow");
		await(started);
		this.node.worker().stop();
		Job job = this.node.job(id);
		assertThat(job.state()).isEqualTo(JobState.READY);
		assertThat(job.attempt()).isEqualTo(1);
		assertThat(job.lastError().orElseThrow().type()).isEqualTo("shutdown");
	}

	@Test
	void aHandlerThatIgnoresItsInterruptDoesNotHoldUpTheShutdown() throws Exception {
		CountDownLatch started = new CountDownLatch(1);
		CountDownLatch release = new CountDownLatch(1);
		this.node
			.timing(new Timing(Duration.ofMillis(200), Duration.ofMillis(200), Duration.ofSeconds(2),
					Duration.ofMillis(50)))
			.handler("deaf", (payload, job) -> {
				started.countDown();
				awaitUninterruptibly(release);
			})
			.start();
		long id = this.node.queue.enqueue("deaf");
		await(started);
		this.node.worker().stop();
		assertThat(this.node.job(id).state()).isEqualTo(JobState.READY);
		assertThat(this.node.job(id).lastError().orElseThrow().type()).isEqualTo("shutdown");
		release.countDown();
	}

}
