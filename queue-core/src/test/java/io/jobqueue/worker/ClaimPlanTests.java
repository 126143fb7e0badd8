package io.jobqueue.worker;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.ReadyRange;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which lines a worker claims from.
 */
class ClaimPlanTests {

	private final AtomicLong clock = new AtomicLong(1);

	private final ClaimPlan plan = new ClaimPlan(this.clock::get, new Random(1));

	private final ReadyRange low = new ReadyRange("a", 0, 0, false, false, Duration.ofSeconds(-50));

	private final ReadyRange high = new ReadyRange("b", 9, 0, false, false, Duration.ofSeconds(-1));

	private final ReadyRange older = new ReadyRange("c", 9, 0, false, false, Duration.ofSeconds(-5));

	private final ReadyRange future = new ReadyRange("d", 9, 0, false, false, Duration.ofSeconds(5));

	private final ReadyRange suspects = new ReadyRange("a", 4, 0, true, false, Duration.ofSeconds(-5));

	@Test
	void dueRangesComeByPriority() {
		assertThat(this.plan.choose(List.of(this.low, this.high, this.future), 3, 0)).containsExactly(this.high,
				this.low);
	}

	@Test
	void queuesOfOnePriorityTakeTurnsHoweverOldTheirJobsAre() {
		List<ReadyRange> ranges = List.of(this.high, this.older, this.low);
		List<String> turns = new ArrayList<>();
		for (int i = 0; i < 5; i++) {
			List<ReadyRange> chosen = this.plan.choose(ranges, 3, 0);
			turns.add(chosen.get(0).queue());
			this.plan.note(chosen, List.of(claimedFrom(turns.get(i))), false, 1);
		}
		assertThat(turns).containsExactly("b", "c", "b", "c", "b");
	}

	@Test
	void suspectsWaitWhileTheWorkerHoldsOthersAndThenItRunsEmptyForThem() {
		List<ReadyRange> lines = List.of(this.low, this.suspects);
		assertThat(this.plan.choose(lines, 5, 0)).containsExactly(this.low);
		this.clock.addAndGet(Duration.ofSeconds(2).toNanos());
		assertThat(this.plan.choose(lines, 5, 0)).isEmpty();
		assertThat(this.plan.choose(lines, 0, 0)).containsExactly(this.suspects);
		assertThat(this.plan.choose(lines, 2, 0)).as("no company is added to suspects").isEmpty();
		assertThat(this.plan.choose(lines, 0, 0)).as("others have their turn").containsExactly(this.low);
	}

	@Test
	void aLineWithJobsForOthersOnlyIsLeftAloneTheLongerItTookToRead() {
		List<ReadyRange> lines = List.of(this.low, this.high);
		this.plan.note(lines, List.of(claimedFrom("a")), true, Duration.ofMillis(90).toNanos());
		assertThat(this.plan.choose(lines, 0, 0)).containsExactly(this.low);
		this.clock.addAndGet(Duration.ofSeconds(2).toNanos());
		assertThat(this.plan.choose(lines, 0, 0)).containsExactly(this.high, this.low);
		this.plan.note(lines, List.of(), true, Duration.ofSeconds(5).toNanos());
		assertThat(this.plan.choose(lines, 0, 0)).isEmpty();
		this.clock.addAndGet(Duration.ofSeconds(2).toNanos());
		assertThat(this.plan.choose(lines, 0, 0)).containsExactly(this.high, this.low);
	}

	private static ClaimedJob claimedFrom(String queue) {
		return new ClaimedJob(new Claim(1, 1), "any", queue, 1, 0, Duration.ZERO, 0, Instant.EPOCH, Duration.ZERO,
				new ClaimedJob.Payload(null, false));
	}

	@Test
	void aWorkerWhoseResultsCannotBeCommittedDoesNotRunEmptyForSuspects() {
		List<ReadyRange> lines = List.of(this.low, this.suspects);
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
