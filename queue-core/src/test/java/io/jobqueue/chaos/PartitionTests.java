package io.jobqueue.chaos;

import java.time.Duration;
import java.util.List;

import io.jobqueue.test.Wire.Direction;
import io.jobqueue.test.Wire;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Nothing arrives in one direction, and nobody is told. What was held arrives later. Or
 * everything arrives, but slowly: that alone must cost a worker nothing but time.
 */
class PartitionTests extends ChaosTests {

	private static final int ROUNDS = FULL ? 5 : 1;

	private static final Duration SLOW = Duration.ofMillis(60);

	static List<Direction> directions() {
		return FULL ? List.of(Direction.values()) : List.of(Direction.DOWN);
	}

	@ParameterizedTest
	@MethodSource("directions")
	@BesideOthers
	void oneWay(Direction direction) throws InterruptedException {
		Wire wire = this.chaos.wire();
		WorkerProcess cutOff = this.chaos.start(this.chaos.worker().withUrl(wire.jdbcUrl())).awaitReady();
		this.chaos.start(this.chaos.worker()).awaitReady();
		Producer producer = this.chaos.producer(Duration.ofMillis(20));
		for (int round = 0; round < ROUNDS; round++) {
			Awaitility.await("the worker has jobs")
				.atMost(Duration.ofSeconds(30))
				.until(() -> this.chaos.heldBy(cutOff) > 0);
			long session = this.chaos.session(cutOff);
			this.chaos.history.note("hold " + direction);
			wire.hold(direction);
			Awaitility.await("its session is ended and its jobs are taken over")
				.atMost(WorkerArguments.SESSION_TIMEOUT.multipliedBy(2).plusSeconds(5))
				.until(() -> this.chaos.hasEnded(session) && this.chaos.heldUnlocked(session).isEmpty());
			Thread.sleep(WorkerArguments.SESSION_TIMEOUT.toMillis());
			this.chaos.history.note("release");
			wire.release();
		}
		producer.stop();
		this.chaos.awaitDrained();
		this.chaos.check();
	}

	@Test
	void slowBothWays() throws InterruptedException {
		Wire wire = this.chaos.wire();
		wire.delay(SLOW);
		WorkerProcess slow = this.chaos.start(this.chaos.worker().withUrl(wire.jdbcUrl())).awaitReady();
		this.chaos.start(this.chaos.worker()).awaitReady();
		long session = this.chaos.session(slow);
		Producer producer = this.chaos.producer(Duration.ofMillis(20));
		Thread.sleep(WorkerArguments.SESSION_TIMEOUT.multipliedBy(FULL ? 8 : 2).toMillis());
		Awaitility.await("the slow worker has done jobs").until(() -> !slow.won().isEmpty());
		producer.stop();
		this.chaos.awaitDrained();
		assertThat(this.chaos.session(slow)).as("the slow worker's session").isEqualTo(session);
		this.chaos.check();
	}

}
