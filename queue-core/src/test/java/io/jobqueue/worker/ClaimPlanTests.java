package io.jobqueue.worker;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Line;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which lines a worker claims from.
 */
class ClaimPlanTests {

	private final AtomicLong clock = new AtomicLong(1);

	private final ClaimPlan plan = new ClaimPlan(this.clock::get, new Random(1));

	private final Line low = new Line("a", 0, false, false, Duration.ofSeconds(-50));

	private final Line high = new Line("b", 9, false, false, Duration.ofSeconds(-1));

	private final Line older = new Line("c", 9, false, false, Duration.ofSeconds(-5));

	private final Line future = new Line("d", 9, false, false, Duration.ofSeconds(5));

	private final Line suspects = new Line("a", 4, true, false, Duration.ofSeconds(-5));

	@Test
	void dueLinesComeByPriorityAndThenByAge() {
		assertThat(this.plan.choose(List.of(this.low, this.high, this.future, this.older), 3, 0))
			.containsExactly(this.older, this.high, this.low);
	}

	@Test
	void suspectsWaitWhileTheWorkerHoldsOthersAndThenItRunsEmptyForThem() {
		List<Line> lines = List.of(this.low, this.suspects);
		assertThat(this.plan.choose(lines, 5, 0)).containsExactly(this.low);
		this.clock.addAndGet(Duration.ofSeconds(2).toNanos());
		assertThat(this.plan.choose(lines, 5, 0)).isEmpty();
		assertThat(this.plan.choose(lines, 0, 0)).containsExactly(this.suspects);
		assertThat(this.plan.choose(lines, 2, 0)).as("no company is added to suspects").isEmpty();
		assertThat(this.plan.choose(lines, 0, 0)).as("others have their turn").containsExactly(this.low);
	}

	@Test
	void aLineWithJobsForOthersOnlyIsLeftAloneTheLongerItTookToRead() {
		List<Line> lines = List.of(this.low, this.high);
		this.plan.noteBarren(lines, List.of(claimedFrom("a")), Duration.ofMillis(100).toNanos());
		assertThat(this.plan.choose(lines, 0, 0)).containsExactly(this.low);
		this.clock.addAndGet(Duration.ofSeconds(2).toNanos());
		assertThat(this.plan.choose(lines, 0, 0)).containsExactly(this.high, this.low);
		this.plan.noteBarren(lines, List.of(), Duration.ofSeconds(5).toNanos());
		assertThat(this.plan.choose(lines, 0, 0)).isEmpty();
		this.clock.addAndGet(Duration.ofSeconds(10).toNanos());
		assertThat(this.plan.choose(lines, 0, 0)).containsExactly(this.high, this.low);
	}

	private static ClaimedJob claimedFrom(String queue) {
		return new ClaimedJob(new Claim(1, 1), "any", queue, 1, 0, Duration.ZERO, 0, Instant.EPOCH, Duration.ZERO,
				new ClaimedJob.Payload(null, false));
	}

	@Test
	void aWorkerWhoseResultsCannotBeCommittedDoesNotRunEmptyForSuspects() {
		List<Line> lines = List.of(this.low, this.suspects);
		assertThat(this.plan.choose(lines, 1, 1)).containsExactly(this.low);
		this.clock.addAndGet(Duration.ofSeconds(5).toNanos());
		assertThat(this.plan.choose(lines, 1, 1)).containsExactly(this.low);
	}

	@Test
	void suspectsWhoseResultsCannotBeCommittedAreStillInCompany() {
		assertThat(this.plan.choose(List.of(this.suspects), 0, 0)).containsExactly(this.suspects);
		this.clock.addAndGet(Duration.ofMinutes(5).toNanos());
		assertThat(this.plan.choose(List.of(this.low), 1, 1)).isEmpty();
	}

	@Test
	void aHandlerThatWasGivenUpKeepsOthersNotWaiting() {
		assertThat(this.plan.choose(List.of(this.suspects), 0, 0)).containsExactly(this.suspects);
		assertThat(this.plan.choose(List.of(this.low), 0, 1)).containsExactly(this.low);
		assertThat(this.plan.choose(List.of(this.suspects), 0, 1)).as("its thread is company").isEmpty();
	}

	@Test
	void suspectsAreClaimedAtOnceIfThereIsNothingElse() {
		assertThat(this.plan.choose(List.of(this.suspects), 0, 0)).containsExactly(this.suspects);
		assertThat(this.plan.choose(List.of(this.suspects), 1, 0)).isEmpty();
	}

}
