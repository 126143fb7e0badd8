package io.jobqueue.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Workers are asked to stop, one after the other, and replaced.
 */
class RollingDeployTests extends ChaosTests {

	private static final int WORKERS = 2;

	/** Nobody is to be taken for dead because the machine is slow. */
	private static final Duration SESSION_TIMEOUT = Duration.ofSeconds(20);

	private static final int ROUNDS = FULL ? 20 : 1;

	/** What the JVM ends with after SIGTERM (128 and the signal's number). */
	private static final int TERMINATED = 143;

	@Test
	void nothingRunsTwiceAndNoAttemptIsCountedForWhatHasNotRun() throws InterruptedException {
		List<WorkerProcess> workers = new ArrayList<>();
		for (int i = 0; i < WORKERS; i++) {
			workers.add(this.chaos.start(this.chaos.worker().withSessionTimeout(SESSION_TIMEOUT)).awaitReady());
		}
		this.chaos.pauseNowAndThen();
		Producer producer = this.chaos.producer(PACE);
		for (int round = 0; round < ROUNDS; round++) {
			for (int i = 0; i < WORKERS; i++) {
				WorkerProcess next = this.chaos.start(this.chaos.worker().withSessionTimeout(SESSION_TIMEOUT))
					.awaitReady();
				Thread.sleep(this.chaos.random.nextInt(1000));
				WorkerProcess old = workers.set(i, next);
				this.chaos.history.note("terminate " + old.name());
				assertThat(old.terminate()).as("exit code").isEqualTo(TERMINATED);
			}
		}
		producer.stop();
		this.chaos.awaitDrained();
		this.chaos.check();
		assertThat(this.chaos.sql.queryForList("""
				SELECT job_id FROM effect e JOIN jobqueue_archive a ON a.id = e.job_id
				WHERE a.type = 'effect' GROUP BY job_id HAVING COUNT(*) > 1""", Long.class)).as("ran twice").isEmpty();
		assertThat(this.chaos.sql.queryForList(
				"SELECT id FROM jobqueue_archive WHERE (type <> 'failing' AND attempt <> 1) OR crashes > 0",
				Long.class))
			.as("attempts or crashes counted")
			.isEmpty();
	}

}
