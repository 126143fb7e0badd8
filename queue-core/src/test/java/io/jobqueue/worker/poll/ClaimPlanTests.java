package io.jobqueue.worker.poll;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import io.jobqueue.poison.Load;
import io.jobqueue.poison.Suspicion.Degree;
import io.jobqueue.poison.Suspicion;
import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.QuarantineStore;
import io.jobqueue.store.ReadyRange;
import org.junit.jupiter.api.Test;

import org.springframework.dao.DataAccessResourceFailureException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Which ranges a worker of eight slots claims from.
 */
class ClaimPlanTests {

	private final AtomicLong clock = new AtomicLong(1);

	private long session = 7;

	/** The session that has the quarantine in the database; 0 for none. */
	private long owner;

	private boolean rowLocked;

	private boolean answerLost;

	private final ClaimPlan plan = new ClaimPlan(this.clock::get, new Random(1),
			new QuarantineTurn(new QuarantineStore() {
				@Override
				public boolean enterQuarantine(long session) {
					if (ClaimPlanTests.this.rowLocked || (owner() != 0 && owner() != session)) {
						return false;
					}
					ClaimPlanTests.this.owner = session;
					return answered();
				}

				@Override
				public boolean leaveQuarantine(long session) {
					if (ClaimPlanTests.this.rowLocked) {
						return false;
					}
					ClaimPlanTests.this.owner = (owner() == session) ? 0 : owner();
					return answered();
				}

				private long owner() {
					return ClaimPlanTests.this.owner;
				}

				private boolean answered() {
					if (ClaimPlanTests.this.answerLost) {
						throw new DataAccessResourceFailureException("no answer");
					}
					return true;
				}
			}, () -> this.session, this.clock::get), Map.of());

	private final ReadyRange low = range("a", 0, Degree.NONE, -5);

	private final ReadyRange high = range("b", 9, Degree.NONE, -1);

	private final ReadyRange older = range("c", 9, Degree.NONE, -9);

	private final ReadyRange future = range("d", 9, Degree.NONE, 5);

	private final ReadyRange first = range("a", 4, Degree.FIRST, -5);

	private final ReadyRange strong = range("a", 4, Degree.STRONG, -5);

	private final ReadyRange limited = range("e", 4, Degree.LIMITED, -5);

	private static ReadyRange range(String queue, int priority, Degree degree, int dueIn) {
		return new ReadyRange(queue, priority, 0, degree, false, Duration.ofSeconds(dueIn));
	}

	private List<ReadyRange> choose(List<ReadyRange> ranges, int held, int lingering) {
		return this.plan.choose(ranges, holding(held), lingering, Duration.ZERO).ranges();
	}

	private static Load holding(int jobs) {
		return new Load(jobs, Suspicion.NO_LIMIT, 8);
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
			ClaimPlan.Choice choice = this.plan.choose(ranges, holding(3), 0, Duration.ZERO);
			ReadyRange first = choice.ranges().get(0);
			turns.add(first.queue());
			this.plan.note(choice, List.of(claimedFrom(first)), false, Set.of(), 1);
		}
		assertThat(turns).containsExactly("b", "c", "b", "c", "b");
	}

	/**
	 * In a backlog the newest is claimed, so that the oldest job of a range tells nothing
	 * of whose turn it is.
	 */
	@Test
	void rangesOfAQueueWhoseNewestJobComesFirstTakeTurns() {
		ReadyRange backlog = new ReadyRange("q", 4, 0, Degree.NONE, true, Duration.ofHours(-9));
		ReadyRange sortedOut = new ReadyRange("q", 4, 5, Degree.NONE, true, Duration.ofSeconds(-1));
		ReadyRange others = new ReadyRange("q", 4, 7, Degree.NONE, true, Duration.ofSeconds(-2));
		List<ReadyRange> turns = new ArrayList<>();
		for (int i = 0; i < 6; i++) {
			ClaimPlan.Choice choice = this.plan.choose(List.of(backlog, sortedOut, others), holding(3), 0,
					Duration.ZERO);
			ReadyRange first = choice.ranges().get(0);
			turns.add(first);
			this.plan.note(choice, List.of(claimedFrom(first)), false, Set.of(), 1);
		}
		assertThat(turns).containsExactly(backlog, others, sortedOut, backlog, others, sortedOut);
	}

	@Test
	void aRangeWithJobsForOthersOnlyIsLeftAloneTheLongerItTookToRead() {
		List<ReadyRange> ranges = List.of(this.low, this.high);
		note(ranges, Duration.ofMillis(90), this.low);
		assertThat(choose(ranges, 0, 0)).containsExactly(this.low);
		pass(2);
		assertThat(choose(ranges, 0, 0)).containsExactly(this.high, this.low);
		note(ranges, Duration.ofSeconds(5));
		assertThat(choose(ranges, 0, 0)).isEmpty();
		pass(2);
		assertThat(choose(ranges, 0, 0)).containsExactly(this.high, this.low);
	}

	@Test
	void aRangeIsLeftAloneEvenIfAnotherOfItsQueueHadJobs() {
		ReadyRange urgent = range("a", 9, Degree.NONE, -5);
		note(List.of(urgent, this.low), Duration.ofSeconds(1), urgent);
		assertThat(choose(List.of(urgent, this.low), 0, 0)).containsExactly(urgent);
	}

	/** Notes a claim in which each range was looked at, and some had a job. */
	/** A claim asks it no more once its slots are taken. */
	@Test
	void noRangeOfAQueueWhoseSlotsWereTakenIsLeftAlone() {
		ReadyRange urgent = range("capped", 9, Degree.NONE, -1);
		ReadyRange other = range("capped", 0, Degree.NONE, -1);
		note(List.of(urgent, other, this.low), Set.of("capped"), Duration.ofMillis(90), urgent);
		assertThat(choose(List.of(other, this.low), 3, 0)).containsExactly(other);
		ReadyRange suspect = range("capped", 0, Degree.FIRST, -1);
		note(List.of(urgent, suspect), Set.of("capped"), Duration.ofMillis(90), urgent);
		assertThat(choose(List.of(suspect), 3, 0)).containsExactly(suspect);
		note(List.of(urgent, suspect), Set.of(), Duration.ofMillis(90), urgent);
		assertThat(choose(List.of(urgent, suspect), 3, 0)).containsExactly(urgent);
	}

	private void note(List<ReadyRange> asked, Duration took, ReadyRange... fruitful) {
		note(asked, Set.of(), took, fruitful);
	}

	private void note(List<ReadyRange> asked, Set<String> full, Duration took, ReadyRange... fruitful) {
		this.plan.note(new ClaimPlan.Choice(asked, 100), Stream.of(fruitful).map(ClaimPlanTests::claimedFrom).toList(),
				true, full, took.toNanos());
	}

	private static ClaimedJob claimedFrom(ReadyRange range) {
		return new ClaimedJob(new Claim(1, 1, 1), "any", range, 1, 0, Duration.ZERO,
				new Suspicion(range.degree(), 0, 0), Instant.EPOCH, Duration.ZERO, new ClaimedJob.Payload(null, false));
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
	void firstSuspectsAndOrdinaryJobsComeByPriority() {
		assertThat(choose(List.of(this.low, this.first, this.high), 0, 0)).containsExactly(this.high, this.first,
				this.low);
	}

	/**
	 * As while one of them runs solo elsewhere, or others have the higher priority.
	 */
	@Test
	void firstSuspectsThatCannotBeClaimedDoNotKeepAWorkerFromHoldingMany() {
		List<ReadyRange> ranges = List.of(this.high, this.first);
		assertThat(choose(ranges, 2_000, 0)).isEmpty();
		ClaimPlan.Choice choice = this.plan.choose(ranges, holding(0), 0, Duration.ZERO);
		this.plan.note(choice, List.of(claimedFrom(this.high)), false, Set.of(), 1);
		assertThat(choose(ranges, 2_000, 0)).containsExactly(this.high);
		pass(1);
		assertThat(choose(ranges, 2_000, 0)).isEmpty();
	}

	@Test
	void whileSuspectsAreHeldNoMoreJobsAreClaimedThanTheirCompanyAllows() {
		Load load = new Load(10, 16, 8);
		assertThat(this.plan.choose(List.of(this.low), load, 0, Duration.ZERO).most()).isEqualTo(6);
		assertThat(this.plan.choose(List.of(this.low), new Load(16, 16, 8), 0, Duration.ZERO).ranges()).isEmpty();
	}

	private List<ReadyRange> chooseHoldingAStrongOne(List<ReadyRange> ranges, int lingering) {
		return this.plan.choose(ranges, new Load(1, 1, 8), lingering, Duration.ofMinutes(1)).ranges();
	}

	/** Enters the quarantine, as a worker that holds some jobs. */
	private void runEmpty(List<ReadyRange> ranges) {
		choose(ranges, 5, 0);
		pass(2);
		assertThat(choose(ranges, 5, 0)).isEmpty();
		assertThat(this.owner).isEqualTo(this.session);
	}

	private void noteOf(ReadyRange asked, int claimed) {
		this.plan.note(new ClaimPlan.Choice(List.of(asked), 100),
				Stream.generate(() -> claimedFrom(asked)).limit(claimed).toList(), claimed < 100, Set.of(), 1_000);
	}

	@Test
	void strongSuspectsWaitWhileTheWorkerHoldsOthersAndThenItRunsEmptyForThem() {
		List<ReadyRange> ranges = List.of(this.low, this.strong);
		runEmpty(ranges);
		pass(200);
		assertThat(choose(ranges, 1, 0)).as("however long its last job runs").isEmpty();
		assertThat(choose(ranges, 0, 0)).containsExactly(this.strong);
		noteOf(this.strong, 1);
		assertThat(chooseHoldingAStrongOne(ranges, 0)).as("nothing joins them").isEmpty();
		assertThat(choose(ranges, 0, 0)).as("its turn has just begun").containsExactly(this.strong);
		noteOf(this.strong, 1);
		pass(10);
		assertThat(chooseHoldingAStrongOne(ranges, 0)).isEmpty();
		assertThat(this.owner).as("while one of them runs").isEqualTo(this.session);
		assertThat(choose(ranges, 0, 0)).as("others have their turn").containsExactly(this.low);
		assertThat(this.owner).isZero();
		pass(9);
		assertThat(choose(ranges, 0, 0)).as("for ten seconds").containsExactly(this.low);
		pass(1);
		runEmpty(ranges);
	}

	@Test
	void aTurnGoesOnIfNobodyWaits() {
		runEmpty(List.of(this.low, this.strong));
		assertThat(choose(List.of(this.strong), 0, 0)).containsExactly(this.strong);
		noteOf(this.strong, 1);
		pass(60);
		assertThat(choose(List.of(this.strong), 0, 0)).containsExactly(this.strong);
	}

	@Test
	void onlyOneNodeRunsEmpty() {
		this.owner = 99;
		List<ReadyRange> ranges = List.of(this.low, this.strong);
		choose(ranges, 5, 0);
		for (int i = 0; i < 100; i++) {
			pass(1);
			assertThat(choose(ranges, 5, 0)).containsExactly(this.low);
		}
	}

	/**
	 * Or they would keep ordinary jobs from every node.
	 */
	@Test
	void aNodeThatHoldsNothingTakesThemAtOnceIfNoOtherNodeDoes() {
		assertThat(choose(List.of(this.strong), 0, 0)).containsExactly(this.strong);
		assertThat(this.owner).isEqualTo(this.session);
		this.owner = 99;
		this.session = 8;
		assertThat(choose(List.of(this.strong), 0, 0)).isEmpty();
	}

	@Test
	void whoRunsLongJobsLeavesItToOthers() {
		List<ReadyRange> ranges = List.of(this.low, this.strong);
		this.plan.choose(ranges, holding(1), 0, Duration.ofHours(1));
		pass(4);
		assertThat(this.plan.choose(ranges, holding(1), 0, Duration.ofHours(1)).ranges()).containsExactly(this.low);
		pass(2);
		assertThat(this.plan.choose(ranges, holding(1), 0, Duration.ofHours(1)).ranges()).isEmpty();
	}

	@Test
	void theQuarantineIsGivenBackWhenAnotherNodeHasTakenTheSuspects() {
		runEmpty(List.of(this.low, this.strong));
		assertThat(choose(List.of(this.low), 5, 0)).containsExactly(this.low);
		assertThat(this.owner).isZero();
	}

	@Test
	void suspectsOfWhichItGetsNoneAreLeftAloneAfterSomeTries() {
		List<ReadyRange> ranges = List.of(this.low, this.strong);
		runEmpty(ranges);
		for (int i = 0; i <= 3; i++) {
			assertThat(choose(ranges, 0, 0)).containsExactly(this.strong);
			noteOf(this.strong, 0);
			pass(1);
		}
		assertThat(this.owner).isZero();
		assertThat(choose(List.of(this.low), 0, 0)).containsExactly(this.low);
		assertThat(choose(List.of(this.strong), 0, 0)).as("though nothing else is due").isEmpty();
		pass(10);
		assertThat(choose(List.of(this.strong), 0, 0)).containsExactly(this.strong);
	}

	/**
	 * Nobody waits for ever for a node that runs a job of ten hours.
	 */
	@Test
	void whoDoesNotGetEmptyLetsOthersTryButGetsEmptyInTheEnd() {
		List<ReadyRange> ranges = List.of(this.low, this.strong);
		runEmpty(ranges);
		pass(301);
		assertThat(choose(ranges, 1, 0)).containsExactly(this.low);
		assertThat(this.owner).isZero();
		pass(11);
		runEmpty(ranges);
		pass(599);
		assertThat(choose(ranges, 1, 0)).as("twice as long").isEmpty();
		pass(2);
		assertThat(choose(ranges, 1, 0)).containsExactly(this.low);
	}

	@Test
	void limitedJobsComeAmongOthers() {
		assertThat(choose(List.of(this.low, this.limited, this.first), 3, 0)).containsExactly(this.first, this.limited,
				this.low);
		assertThat(this.owner).isZero();
	}

	@Test
	void whoseSlotsGetFullWhileItRunsEmptyLetsOthersTryToo() {
		runEmpty(List.of(this.low, this.strong));
		this.plan.noteNoRoom(0);
		assertThat(this.owner).isEqualTo(this.session);
		pass(301);
		this.plan.noteNoRoom(0);
		assertThat(this.owner).isZero();
	}

	/**
	 * Where it may not start, the others have not been looked at.
	 */
	@Test
	void nothingIsLeftAloneBecauseOfLimitedJobs() {
		note(List.of(this.limited, this.low), Duration.ofSeconds(5));
		pass(1);
		assertThat(choose(List.of(this.limited, this.low), 0, 0)).containsExactly(this.limited, this.low);
	}

	@Test
	void aNodeThatCannotGetEmptyAnyMoreGivesTheQuarantineBack() {
		runEmpty(List.of(this.low, this.strong));
		this.plan.noteNoRoom(1);
		assertThat(this.owner).isZero();
	}

	@Test
	void aNodeThatStopsGivesTheQuarantineBack() {
		runEmpty(List.of(this.low, this.strong));
		this.plan.giveUpRunningEmpty();
		assertThat(this.owner).isZero();
	}

	@Test
	void aWorkerWhoseResultsCannotBeCommittedDoesNotRunEmptyForSuspects() {
		List<ReadyRange> ranges = List.of(this.low, this.strong);
		assertThat(choose(ranges, 1, 1)).containsExactly(this.low);
		pass(5);
		assertThat(choose(ranges, 1, 1)).containsExactly(this.low);
		assertThat(this.owner).isZero();
	}

	@Test
	void aSuspectWhoseResultCannotBeCommittedIsCompanyButDoesNotKeepTheQuarantine() {
		List<ReadyRange> ranges = List.of(this.low, this.strong);
		runEmpty(ranges);
		assertThat(choose(ranges, 0, 0)).containsExactly(this.strong);
		noteOf(this.strong, 1);
		assertThat(chooseHoldingAStrongOne(ranges, 1)).isEmpty();
		assertThat(this.owner).isZero();
	}

	@Test
	void aHandlerThatWasGivenUpKeepsOthersNotWaiting() {
		assertThat(choose(List.of(this.low), 0, 1)).containsExactly(this.low);
		assertThat(choose(List.of(this.strong), 0, 1)).as("its thread is busy").isEmpty();
	}

	@Test
	void aLeaveThatFailsIsTriedAgain() {
		runEmpty(List.of(this.low, this.strong));
		this.rowLocked = true;
		assertThat(choose(List.of(this.low), 5, 0)).containsExactly(this.low);
		this.rowLocked = false;
		this.answerLost = true;
		pass(1);
		assertThatExceptionOfType(DataAccessResourceFailureException.class)
			.isThrownBy(() -> choose(List.of(this.low), 5, 0));
		this.answerLost = false;
		this.owner = this.session;
		pass(1);
		assertThat(choose(List.of(this.low), 5, 0)).containsExactly(this.low);
		assertThat(this.owner).isZero();
	}

	@Test
	void anEnterWithoutAnAnswerIsAskedAgainOrGivenBack() {
		List<ReadyRange> ranges = List.of(this.low, this.strong);
		choose(ranges, 5, 0);
		pass(2);
		this.answerLost = true;
		assertThatExceptionOfType(DataAccessResourceFailureException.class).isThrownBy(() -> choose(ranges, 5, 0));
		assertThat(this.owner).isEqualTo(this.session);
		this.answerLost = false;
		assertThat(choose(List.of(this.low), 5, 0)).containsExactly(this.low);
		assertThat(this.owner).isZero();
	}

	@Test
	void theQuarantineOfAnEarlierSessionIsNotThatOfTheNext() {
		List<ReadyRange> ranges = List.of(this.low, this.strong);
		runEmpty(ranges);
		this.session = 8;
		this.owner = 99;
		assertThat(choose(ranges, 5, 0)).containsExactly(this.low);
		assertThat(this.owner).as("another node's").isEqualTo(99);
	}

}
