package io.jobqueue.chaos;

import java.time.Duration;
import java.util.List;

import io.jobqueue.test.Wire.Direction;
import io.jobqueue.test.Wire;
import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Nothing arrives in one direction, and nobody is told. What was held arrives later.
 */
class PartitionTests extends ChaosTests {

	private static final int ROUNDS = FULL ? 5 : 1;

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
		Producer producer = this.chaos.producer(PACE);
		for (int round = 0; round < ROUNDS; round++) {
			Awaitility.await("the worker has jobs")
				.atMost(Duration.ofSeconds(30))
				.until(() -> this.chaos.tables.heldBy(cutOff) > 0);
			long session = this.chaos.tables.session(cutOff);
			this.chaos.history.note("hold " + direction);
			wire.hold(direction);
			Awaitility.await("its session is ended and its jobs are taken over")
				.atMost(WorkerArguments.SESSION_TIMEOUT.multipliedBy(2).plusSeconds(5))
				.until(() -> this.chaos.tables.hasEnded(session) && this.chaos.tables.heldUnlocked(session).isEmpty());
			Thread.sleep(WorkerArguments.SESSION_TIMEOUT.toMillis());
			this.chaos.history.note("release");
			wire.release();
		}
		producer.stop();
		this.chaos.awaitDrained();
		this.chaos.check();
	}

}
