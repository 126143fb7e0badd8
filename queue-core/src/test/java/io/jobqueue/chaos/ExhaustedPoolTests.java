package io.jobqueue.chaos;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The application takes every connection of the worker's pool.
 */
@TakesLong
class ExhaustedPoolTests extends ChaosTests {

	private static final int ROUNDS = 3;

	/** A heartbeat that takes longer than half of it is given up with its connection. */
	private static final Duration SESSION_TIMEOUT = Duration.ofSeconds(6);

	private static final Duration TAKEN = SESSION_TIMEOUT.multipliedBy(2);

	@Test
	void theSessionLivesAndNoJobHasTwoOwners() throws InterruptedException {
		WorkerProcess exhausted = this.chaos.start(this.chaos.worker().withSessionTimeout(SESSION_TIMEOUT))
			.awaitReady();
		this.chaos.start(this.chaos.worker().withSessionTimeout(SESSION_TIMEOUT)).awaitReady();
		Producer producer = this.chaos.producer(PACE);
		for (int round = 0; round < ROUNDS; round++) {
			Thread.sleep(1000);
			long session = this.chaos.tables.session(exhausted);
			this.chaos.history.note("exhaust the pool of " + exhausted.name());
			exhausted.hog(TAKEN);
			Thread.sleep(TAKEN.toMillis());
			assertThat(this.chaos.tables.session(exhausted)).as("heartbeats went on in the same session")
				.isEqualTo(session)
				.isPositive();
		}
		producer.stop();
		this.chaos.awaitDrained();
		this.chaos.check();
	}

}
