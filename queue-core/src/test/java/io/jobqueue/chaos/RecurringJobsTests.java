package io.jobqueue.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.jobqueue.ScheduleStatus;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Schedules of each second on nodes that are killed again and again: each tick has one
 * job, or is counted as missed or skipped.
 */
class RecurringJobsTests extends ChaosTests {

	private static final int WORKERS = FULL ? 4 : 2;

	@Test
	void eachTickHasOneJobOrIsCounted() throws InterruptedException {
		List<WorkerProcess> workers = new ArrayList<>();
		for (int i = 0; i < WORKERS; i++) {
			workers.add(this.chaos.start(this.chaos.worker()));
		}
		workers.forEach(WorkerProcess::awaitReady);
		Ticks ticks = new Ticks(this.chaos);
		long end = System.nanoTime() + (FULL ? Duration.ofMinutes(10) : Duration.ofSeconds(12)).toNanos();
		while (System.nanoTime() < end) {
			Thread.sleep(2000 + this.chaos.random.nextInt(3000));
			int which = this.chaos.random.nextInt(WORKERS);
			this.chaos.history.note("kill " + workers.get(which).name());
			workers.get(which).kill();
			workers.set(which, this.chaos.start(this.chaos.worker()));
		}
		workers.forEach(WorkerProcess::awaitReady);
		Map<String, ScheduleStatus> ended = ticks.end();
		assertThat(ticks.violations(ended)).as("doubled, seed %d", this.chaos.seed).isEmpty();
		assertThat(ticks.uncounted(ended)).as("lost, seed %d", this.chaos.seed).isEmpty();
		assertThat(ended.get("slow").skipped()).as("skipped").isPositive();
	}

}
