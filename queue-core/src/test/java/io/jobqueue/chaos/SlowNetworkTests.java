package io.jobqueue.chaos;

import java.time.Duration;

import io.jobqueue.test.Wire;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Everything arrives, but slowly: that alone costs a worker nothing but time.
 */
@TakesLong
class SlowNetworkTests extends ChaosTests {

	private static final Duration SLOW = Duration.ofMillis(60);

	@Test
	void keepsItsSession() throws InterruptedException {
		Wire wire = this.chaos.wire();
		wire.delay(SLOW);
		WorkerProcess slow = this.chaos.start(this.chaos.worker().withUrl(wire.jdbcUrl())).awaitReady();
		this.chaos.start(this.chaos.worker()).awaitReady();
		long session = this.chaos.tables.session(slow);
		Producer producer = this.chaos.producer(PACE);
		Thread.sleep(WorkerArguments.SESSION_TIMEOUT.multipliedBy(8).toMillis());
		Awaitility.await("the slow worker has done jobs")
			.atMost(Duration.ofMinutes(1))
			.until(() -> !slow.won().isEmpty());
		producer.stop();
		this.chaos.awaitDrained();
		assertThat(this.chaos.tables.session(slow)).as("the slow worker's session").isEqualTo(session);
		this.chaos.check();
	}

}
