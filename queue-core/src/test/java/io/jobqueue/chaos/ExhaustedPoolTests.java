package io.jobqueue.chaos;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The application takes every connection of the worker's pool.
 */
class ExhaustedPoolTests extends ChaosTests {

	private static final int ROUNDS = FULL ? 5 : 1;

	private static final Duration TAKEN = WorkerArguments.SESSION_TIMEOUT.multipliedBy(2);

	@Test
	void theSessionLivesAndNoJobHasTwoOwners() throws InterruptedException {
		WorkerProcess exhausted = this.chaos.start(this.chaos.worker()).awaitReady();
		this.chaos.start(this.chaos.worker()).awaitReady();
		Producer producer = this.chaos.producer(Duration.ofMillis(20));
		for (int round = 0; round < ROUNDS; round++) {
			Thread.sleep(1000);
			long session = this.chaos.session(exhausted);
			this.chaos.history.note("exhaust the pool of " + exhausted.name());
			exhausted.hog(TAKEN);
			Thread.sleep(TAKEN.toMillis());
			assertThat(this.chaos.session(exhausted)).as("heartbeats went on in the same session")
				.isEqualTo(session)
				.isPositive();
		}
		producer.stop();
		this.chaos.awaitDrained();
		this.chaos.check();
	}

}
