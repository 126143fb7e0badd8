package io.jobqueue.worker;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

import io.jobqueue.poison.Company;
import io.jobqueue.poison.Suspicion.Degree;
import io.jobqueue.poison.Suspicion;
import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.ReadyRange;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which ranges a worker of eight slots claims from.
 */
class ClaimPlanTests {

	private final AtomicLong clock = new AtomicLong(1);

	private boolean free = true;

	private int entered;

	private final ClaimPlan plan = new ClaimPlan(this.clock::get, new Random(1), new ClaimPlan.Quarantine() {
		@Override
		public boolean enter() {
			ClaimPlanTests.this.entered += ClaimPlanTests.this.free ? 1 : 0;
			return ClaimPlanTests.this.free;
		}

		@Override
		public void leave() {
			ClaimPlanTests.this.entered--;
		}
	});

	private final ReadyRange low = range("a", 0, Degree.NONE, -5);

	private final ReadyRange high = range("b", 9, Degree.NONE, -1);

	private final ReadyRange older = range("c", 9, Degree.NONE, -9);

	private final ReadyRange future = range("d", 9, Degree.NONE, 5);

	private final ReadyRange first = range("a", 4, Degree.FIRST, -5);

	private final ReadyRange strong = range("a", 4, Degree.STRONG, -5);

	private static ReadyRange range(String queue, int priority, Degree degree, int dueIn) {
		return new ReadyRange(queue, priority, 0, degree, false, Duration.ofSeconds(dueIn));
	}

	private List<ReadyRange> choose(List<ReadyRange> ranges, int held, int lingering) {
		return this.plan.choose(ranges, holding(held), lingering, Duration.ZERO).ranges();
	}

	private static Company holding(int jobs) {
		return new Company(jobs, Suspicion.ANY_COMPANY, 8, false);
	}

	private void pass(int seconds) {
		this.clock.addAndGet(Duration.ofSeconds(seconds).toNanos());
	}

	@Test
	void dueRangesComeByPriority() {
		assertThat(choose(List.of(this.low, this.high, this.future), 3, 0)).containsExactly(this.high, this.low);
	}

	@Test
	void queuesOfOnePriorityTakeTurnsHoweverOldTheirJobsAre() {
		List<ReadyRange> ranges = List.of(this.high, this.older, this.low);
		List<String> turns = new ArrayList<>();
		for (int i = 0; i < 5; i++) {
			List<ReadyRange> chosen = choose(ranges, 3, 0);
			turns.add(chosen.get(0).queue());
			this.plan.note(chosen, List.of(claimedFrom(turns.get(i))), false, 1);
		}
		assertThat(turns).containsExactly("b", "c", "b", "c", "b");
	}

	@Test
	void aRangeWithJobsForOthersOnlyIsLeftAloneTheLongerItTookToRead() {
		List<ReadyRange> ranges = List.of(this.low, this.high);
		this.plan.note(ranges, List.of(claimedFrom("a")), true, Duration.ofMillis(90).toNanos());
		assertThat(choose(ranges, 0, 0)).containsExactly(this.low);
		pass(2);
		assertThat(choose(ranges, 0, 0)).containsExactly(this.high, this.low);
		this.plan.note(ranges, List.of(), true, Duration.ofSeconds(5).toNanos());
		assertThat(choose(ranges, 0, 0)).isEmpty();
		pass(2);
		assertThat(choose(ranges, 0, 0)).containsExactly(this.high, this.low);
	}

	private static ClaimedJob claimedFrom(String queue) {
		return new ClaimedJob(new Claim(1, 1), "any", queue, 1, 0, Duration.ZERO, Suspicion.NONE, Instant.EPOCH,
				Duration.ZERO, new ClaimedJob.Payload(null, false));
	}

	/**
	 * No worker has to run empty for them, however long its jobs are.
	 */
	@Test
	void firstSuspectsComeAmongOthersAsLongAsTheWorkerHoldsFew() {
		List<ReadyRange> ranges = List.of(this.low, this.first);
		ClaimPlan.Choice choice = this.plan.choose(ranges, holding(1), 0, Duration.ofHours(1));
		assertThat(choice.ranges()).containsExactly(this.first, this.low);
		assertThat(choice.most()).isEqualTo(15);
		assertThat(choose(ranges, 2_000, 0)).as("it holds less soon").isEmpty();
		assertThat(choose(ranges, 2_000, 100)).as("it does not").containsExactly(this.low);
	}

	@Test
	void whileSuspectsAreHeldNoMoreJobsAreClaimedThanTheirCompanyAllows() {
		Company company = new Company(10, 16, 8, false);
		assertThat(this.plan.choose(List.of(this.low), company, 0, Duration.ZERO).most()).isEqualTo(6);
		assertThat(this.plan.choose(List.of(this.low), new Company(16, 16, 8, false), 0, Duration.ZERO).ranges())
			.isEmpty();
	}

	@Test
	void strongSuspectsWaitWhileTheWorkerHoldsOthersAndThenItRunsEmptyForThem() {
		List<ReadyRange> ranges = List.of(this.low, this.strong);
		assertThat(choose(ranges, 5, 0)).containsExactly(this.low);
		pass(2);
		assertThat(choose(ranges, 5, 0)).isEmpty();
		assertThat(this.entered).isOne();
		pass(1_000);
		assertThat(choose(ranges, 1, 0)).as("however long its last job runs").isEmpty();
		assertThat(choose(ranges, 0, 0)).containsExactly(this.strong);
		this.plan.noteTaken();
		assertThat(choose(ranges, 2, 0)).as("nothing joins them").isEmpty();
		assertThat(choose(ranges, 0, 0)).as("others have their turn").containsExactly(this.low);
		assertThat(this.entered).isZero();
	}

	@Test
	void onlyOneNodeRunsEmpty() {
		this.free = false;
		List<ReadyRange> ranges = List.of(this.low, this.strong);
		choose(ranges, 5, 0);
		for (int i = 0; i < 100; i++) {
			pass(1);
			assertThat(choose(ranges, 5, 0)).containsExactly(this.low);
		}
	}

	@Test
	void whoRunsLongJobsLeavesItToOthers() {
		List<ReadyRange> ranges = List.of(this.low, this.strong);
		this.plan.choose(ranges, holding(1), 0, Duration.ofHours(1));
		pass(2);
		assertThat(this.plan.choose(ranges, holding(1), 0, Duration.ofHours(1)).ranges()).containsExactly(this.low);
		pass(2);
		assertThat(this.plan.choose(ranges, holding(1), 0, Duration.ofHours(1)).ranges()).isEmpty();
	}

	@Test
	void theQuarantineIsGivenBackWhenAnotherNodeHasTakenTheSuspects() {
		List<ReadyRange> ranges = List.of(this.low, this.strong);
		choose(ranges, 5, 0);
		pass(2);
		assertThat(choose(ranges, 5, 0)).isEmpty();
		assertThat(choose(List.of(this.low), 5, 0)).containsExactly(this.low);
		assertThat(this.entered).isZero();
	}

	/**
	 * Those that may run in the quarantine only.
	 */
	@Test
	void whoGetsNoneAsksForTheQuarantineAndThenLeavesThemAlone() {
		assertThat(choose(List.of(this.strong), 0, 0)).containsExactly(this.strong);
		this.plan.noteNoneTaken();
		assertThat(this.plan.isQuarantined()).isTrue();
		assertThat(choose(List.of(this.strong), 0, 0)).containsExactly(this.strong);
		this.plan.noteNoneTaken();
		assertThat(this.plan.isQuarantined()).isFalse();
		assertThat(choose(List.of(this.strong, this.low), 0, 0)).containsExactly(this.low);
	}

	@Test
	void aWorkerWhoseResultsCannotBeCommittedDoesNotRunEmptyForSuspects() {
		List<ReadyRange> ranges = List.of(this.low, this.strong);
		assertThat(choose(ranges, 1, 1)).containsExactly(this.low);
		pass(5);
		assertThat(choose(ranges, 1, 1)).containsExactly(this.low);
		assertThat(this.entered).isZero();
	}

	@Test
	void suspectsWhoseResultsCannotBeCommittedAreStillCompany() {
		assertThat(choose(List.of(this.strong), 0, 0)).containsExactly(this.strong);
		this.plan.noteTaken();
		pass(300);
		assertThat(choose(List.of(this.low), 1, 1)).isEmpty();
	}

	@Test
	void aHandlerThatWasGivenUpKeepsOthersNotWaiting() {
		assertThat(choose(List.of(this.strong), 0, 0)).containsExactly(this.strong);
		this.plan.noteTaken();
		assertThat(choose(List.of(this.low), 0, 1)).containsExactly(this.low);
		assertThat(choose(List.of(this.strong), 0, 1)).as("its thread is company").isEmpty();
	}

}
