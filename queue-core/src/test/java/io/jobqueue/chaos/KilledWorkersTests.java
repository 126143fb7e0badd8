package io.jobqueue.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Workers are killed with {@code kill -9}, again and again.
 */
class KilledWorkersTests extends WayTests {

	private static final int WORKERS = FULL ? 4 : 2;

	private static final Duration RESCUED_WITHIN = WorkerArguments.SESSION_TIMEOUT.plusSeconds(5);

	/** When the workers of sessions were killed. */
	private final Map<Long, Long> killed = new HashMap<>();

	private int rescued;

	@Test
	void killedAgainAndAgain() throws InterruptedException {
		List<WorkerProcess> workers = new ArrayList<>();
		for (int i = 0; i < WORKERS; i++) {
			workers.add(this.chaos.start(this.chaos.worker()));
		}
		workers.forEach(WorkerProcess::awaitReady);
		this.chaos.pauseNowAndThen();
		// Others notice at once when workers are killed that had to notice.
		this.chaos.start(this.chaos.worker()).awaitReady();
		Producer producer = this.chaos.producer(PACE);
		Duration duration = choose(Duration.ofMinutes(10), Duration.ofMinutes(1), Duration.ofSeconds(12));
		// A worker may hold no job when it is killed: then others are killed for longer.
		Duration atMost = duration.plusMinutes(1);
		long start = System.nanoTime();
		while (before(start, duration) || (this.rescued == 0 && before(start, atMost))) {
			Thread.sleep(2000 + this.chaos.random.nextInt(3000));
			int which = this.chaos.random.nextInt(WORKERS);
			workers.get(which).awaitReady();
			kill(workers.get(which));
			workers.set(which, this.chaos.start(this.chaos.worker()));
			checkRescued();
		}
		producer.stop();
		this.chaos.awaitDrained();
		this.chaos.awaitFullLimits();
		assertThat(this.rescued).as("killed workers that held jobs").isPositive();
		assertThat(this.chaos.history.pauses()).as("pauses").isNotEmpty();
		this.chaos.check();
	}

	private static boolean before(long start, Duration duration) {
		return System.nanoTime() - start < duration.toNanos();
	}

	private void kill(WorkerProcess worker) {
		this.chaos.history.note("kill " + worker.name());
		long session = this.chaos.tables.session(worker);
		List<Long> begun = this.chaos.tables.begunBy(session);
		worker.kill();
		this.killed.put(session, System.nanoTime());
		this.rescued += this.chaos.tables.heldUnlocked(session).isEmpty() && begun.isEmpty() ? 0 : 1;
	}

	private void checkRescued() {
		this.killed.forEach((session, at) -> {
			if (System.nanoTime() - at > RESCUED_WITHIN.toNanos()) {
				assertThat(this.chaos.tables.count("state = 1 AND session_id = " + session))
					.as("jobs of session %d, dead for more than %s", session, RESCUED_WITHIN)
					.isZero();
			}
		});
	}

}
