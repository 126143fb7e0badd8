package io.jobqueue.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Jobs that harm the worker that runs them.
 */
class PoisonTests extends WayTests {

	private static final int WORKERS = 2;

	private static final int INNOCENTS = 500;

	private static final int LARGE = FULL ? 10 : 4;

	private static final double KEPT = 0.9;

	private static final int LONGEST_MESSAGE = 2000;

	private static final Duration PATIENCE = Duration.ofMinutes(3);

	private static final int DEAD = 4;

	/**
	 * A worker of another process, which serves another queue, goes on as if nothing were
	 * wrong while workers around it die of the poison.
	 */
	@TakesLong
	@ParameterizedTest
	@EnumSource
	void isDeadAfterItsAttemptsWithAReasonAndOthersKeepTheirRate(Poison poison) throws InterruptedException {
		this.chaos.keepAlive(WORKERS, "default");
		WorkerProcess other = this.chaos.start(this.chaos.worker().serving(SteadyLoad.QUEUE)).awaitReady();
		SteadyLoad load = this.chaos.steadyLoad();
		List<Double> kept = new ArrayList<>();
		Duration measured = Duration.ofSeconds(choose(10, 2));
		// A machine that is busy with something else must not look like the poison.
		int mostTries = choose(5, 1);
		do {
			Thread.sleep(measured.toMillis());
			double before = rate(other, measured);
			assertThat(before).as("rate before").isPositive();
			long id = this.chaos.enqueue(poison.type(), Duration.ZERO);
			kept.add(rate(other, measured) / before);
			awaitDead(id);
			checkReasons(id);
		}
		while (Collections.max(kept) < KEPT && kept.size() < mostTries);
		load.stop();
		this.chaos.awaitDrained();
		this.chaos.check();
		if (mostTries > 1) {
			assertThat(kept).as("rates beside the poison, of those before").anyMatch((rate) -> rate >= KEPT);
		}
	}

	private void checkReasons(long id) {
		List<String> reasons = this.chaos.sql.queryForList("SELECT message FROM jobqueue_error WHERE job_id = ?",
				String.class, id);
		assertThat(reasons).isNotEmpty().allMatch((reason) -> !reason.isBlank() && reason.length() <= LONGEST_MESSAGE);
		assertThat(reasons).as("failed attempts and crashes")
			.hasSizeGreaterThanOrEqualTo(WorkerArguments.ATTEMPTS_BY_DEFAULT);
	}

	private static double rate(WorkerProcess worker, Duration duration) throws InterruptedException {
		long start = System.nanoTime();
		int before = worker.won().size();
		Thread.sleep(duration.toMillis());
		return (worker.won().size() - before) * 1e9 / (System.nanoTime() - start);
	}

	/**
	 * Rows of a program that knows no limit. What comes before and after them is claimed
	 * together with them.
	 */
	@Test
	void payloadsOfTenMegabytesByPlainSql() {
		this.chaos.keepAlive(WORKERS, "");
		for (int i = 0; i < LARGE; i++) {
			this.chaos.enqueue(ChaosWorker.EFFECT, Duration.ZERO);
			this.chaos.insert(ChaosWorker.EFFECT, "x".repeat(10 * 1024 * 1024));
		}
		this.chaos.awaitDrained();
		this.chaos.check();
	}

	@Test
	void takesNoInnocentWithIt() {
		this.chaos.prefetch = 2 * INNOCENTS;
		this.chaos.keepAlive(WORKERS, "");
		int rounds = choose(10, 2, 1);
		for (int round = 0; round < rounds; round++) {
			this.chaos.queue.pause("default");
			int place = this.chaos.random.nextInt(INNOCENTS);
			long poison = 0;
			for (int i = 0; i < INNOCENTS; i++) {
				if (i == place) {
					poison = this.chaos.enqueue(Poison.KILLING.type(), Duration.ZERO);
				}
				this.chaos.enqueue(ChaosWorker.EFFECT, Duration.ofMillis(this.chaos.random.nextInt(10)));
			}
			this.chaos.queue.resume("default");
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
