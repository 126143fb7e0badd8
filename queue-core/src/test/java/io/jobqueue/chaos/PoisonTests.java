package io.jobqueue.chaos;

import java.time.Duration;
import java.util.List;

import io.jobqueue.store.StoredJobQueue;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Jobs that harm the worker that runs them.
 */
class PoisonTests extends ChaosTests {

	private static final int WORKERS = 2;

	private static final int ROUNDS = FULL ? 10 : 1;

	private static final int INNOCENTS = 500;

	private static final int LONGEST_MESSAGE = 2000;

	private static final Duration PATIENCE = Duration.ofMinutes(3);

	private static final int DEAD = 4;

	static List<Poison> poisons() {
		return FULL ? List.of(Poison.values()) : List.of(Poison.SHOUTING);
	}

	@ParameterizedTest
	@MethodSource("poisons")
	void isDeadAfterItsAttemptsWithAReason(Poison poison) {
		this.chaos.keepAlive(WORKERS);
		Producer producer = this.chaos.producer(Duration.ofMillis(50));
		long id = this.chaos.enqueue(poison.type(), Duration.ZERO);
		awaitDead(id);
		producer.stop();
		this.chaos.awaitDrained();
		this.chaos.check();
		List<String> reasons = this.chaos.sql.queryForList("SELECT message FROM jobqueue_error WHERE job_id = ?",
				String.class, id);
		assertThat(reasons).isNotEmpty().allMatch((reason) -> !reason.isBlank() && reason.length() <= LONGEST_MESSAGE);
	}

	@Test
	void takesNoInnocentWithIt() {
		this.chaos.prefetch = 2 * INNOCENTS;
		this.chaos.keepAlive(WORKERS);
		StoredJobQueue queue = Producer.queue(this.chaos.schema.dataSource());
		for (int round = 0; round < ROUNDS; round++) {
			queue.pause("default");
			int place = this.chaos.random.nextInt(INNOCENTS);
			long poison = 0;
			for (int i = 0; i < INNOCENTS; i++) {
				if (i == place) {
					poison = this.chaos.enqueue(Poison.KILLING.type(), Duration.ZERO);
				}
				this.chaos.enqueue(ChaosWorker.EFFECT, Duration.ofMillis(this.chaos.random.nextInt(10)));
			}
			queue.resume("default");
			awaitDead(poison);
		}
		this.chaos.awaitDrained();
		this.chaos.check();
	}

	private void awaitDead(long id) {
		Awaitility.await("job " + id + " is dead")
			.atMost(PATIENCE)
			.pollInterval(Duration.ofMillis(100))
			.until(() -> this.chaos.sql
				.queryForList("SELECT state FROM jobqueue_archive WHERE id = ?", Integer.class, id)
				.equals(List.of(DEAD)));
	}

}
