package io.jobqueue.worker.attempt;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import io.jobqueue.worker.WorkerSettings;
import io.jobqueue.worker.attempt.Capacity.Limits;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How many jobs a worker may hold.
 */
class CapacityTests {

	private static final int SLOTS = WorkerSettings.Slots.DEFAULT.concurrency();

	private static final int PREFETCH = WorkerSettings.Slots.DEFAULT.prefetch();

	private final AtomicLong clock = new AtomicLong(1);

	private final Capacity capacity = new Capacity(WorkerSettings.Slots.DEFAULT, this.clock::get);

	/**
	 * A hundred commits of so many jobs each, one after the other, with some polls
	 * between two of them.
	 */
	private List<Limits> commit(int jobs, Duration each, int polls) {
		List<Limits> limits = new ArrayList<>();
		for (int commit = 0; commit < 100; commit++) {
			this.capacity.finished(Collections.nCopies(jobs, Duration.ZERO));
			for (int poll = 0; poll < polls; poll++) {
				pass(each.dividedBy(polls));
				limits.add(this.capacity.limits(0, false));
			}
		}
		return limits;
	}

	private void pass(Duration time) {
		this.clock.addAndGet(time.toNanos());
	}

	@Test
	void aWorkerThatHasJustStartedHoldsAJobForEachSlot() {
		assertThat(this.capacity.limits(0, false)).isEqualTo(new Limits(SLOTS, SLOTS));
	}

	@Test
	void quickJobsAreHeldForATenthOfASecondAndLongerWhileTheirResultsWait() {
		commit(100, Duration.ofMillis(25), 10);
		assertThat(this.capacity.limits(0, false)).isEqualTo(new Limits(SLOTS + 400, SLOTS + 1200));
	}

	/**
	 * Or a worker would pause before each commit, since nothing has ended for a while.
	 */
	@Test
	void theLimitsDoNotChangeBetweenTwoCommits() {
		commit(500, Duration.ofMillis(100), 10);
		assertThat(commit(500, Duration.ofMillis(100), 10)).containsOnly(new Limits(SLOTS + 500, SLOTS + 1500));
	}

	@Test
	void prefetchIsTheMost() {
		commit(3_000, Duration.ofMillis(25), 10);
		assertThat(this.capacity.limits(0, false)).isEqualTo(new Limits(SLOTS + PREFETCH, SLOTS + PREFETCH));
	}

	@Test
	void slowJobsAreLeftToWhoeverHasASlotForThem() {
		commit(4, Duration.ofSeconds(1), 1);
		assertThat(this.capacity.limits(0, false)).isEqualTo(new Limits(SLOTS, SLOTS + 1));
	}

	@Test
	void afterAQuietFifthOfASecondNothingIsHeldAhead() {
		commit(100, Duration.ofMillis(25), 10);
		pass(Duration.ofMillis(170));
		assertThat(this.capacity.limits(0, false)).isEqualTo(new Limits(SLOTS + 400, SLOTS + 1200));
		pass(Duration.ofMillis(30));
		assertThat(this.capacity.limits(0, false)).isEqualTo(new Limits(SLOTS, SLOTS));
	}

	/**
	 * However often the worker has looked meanwhile, as it does when it is woken up.
	 */
	@Test
	void manySlowJobsThatEndTogetherAreSlow() {
		assertThat(commit(100, Duration.ofSeconds(5), 1)).endsWith(new Limits(SLOTS + 2, SLOTS + 6));
		for (int poll = 0; poll < 25; poll++) {
			pass(Duration.ofMillis(200));
			assertThat(this.capacity.limits(0, false)).as("while they run").isEqualTo(new Limits(SLOTS, SLOTS));
		}
		this.capacity.finished(Collections.nCopies(100, Duration.ZERO));
		assertThat(this.capacity.limits(0, false)).isEqualTo(new Limits(SLOTS + 2, SLOTS + 6));
	}

	/**
	 * Their results rarely come into the same commit.
	 */
	@Test
	void slowJobsThatEndAtAboutTheSameTimeAreSlow() {
		for (int commit = 0; commit < 100; commit++) {
			pass(Duration.ofMillis(4_970));
			this.capacity.finished(Collections.nCopies(4, Duration.ofSeconds(5)));
			assertThat(this.capacity.limits(0, false).toRun()).as("first half").isEqualTo(SLOTS);
			pass(Duration.ofMillis(30));
			this.capacity.finished(Collections.nCopies(4, Duration.ofSeconds(5)));
			assertThat(this.capacity.limits(0, false).toRun()).as("second half").isEqualTo(SLOTS);
		}
	}

	@Test
	void oneSlowJobAmongQuickOnesChangesLittle() {
		commit(100, Duration.ofMillis(25), 1);
		List<Duration> ran = new ArrayList<>(Collections.nCopies(99, Duration.ZERO));
		ran.add(Duration.ofMinutes(10));
		this.capacity.finished(ran);
		pass(Duration.ofMillis(25));
		assertThat(this.capacity.limits(0, false).toRun()).isBetween(SLOTS + 395, SLOTS + 400);
	}

	@Test
	void whileTheSlotsStandNothingIsHeldAhead() {
		commit(100, Duration.ofMillis(25), 10);
		assertThat(this.capacity.limits(0, true)).isEqualTo(new Limits(SLOTS, SLOTS));
		assertThat(this.capacity.limits(0, false)).isEqualTo(new Limits(SLOTS + 400, SLOTS + 1200));
	}

	/**
	 * Else the worker would claim for its slots only: by the time of the next claim what
	 * it has claimed ahead is done, and nothing tells how quick the jobs are.
	 */
	@Test
	void whereTheDatabaseIsFarAwayMoreIsHeld() {
		commit(100, Duration.ofMillis(25), 10);
		claim(100, Duration.ofMillis(205));
		assertThat(this.capacity.limits(0, false)).as("after one slow claim")
			.isEqualTo(new Limits(SLOTS + 400, SLOTS + 1200));
		claim(100, Duration.ofMillis(305));
		assertThat(this.capacity.limits(0, false)).isEqualTo(new Limits(SLOTS + 2000, SLOTS + 2000));
		claim(100, Duration.ofMillis(65));
		assertThat(this.capacity.limits(0, false)).isEqualTo(new Limits(SLOTS + 720, SLOTS + 2000));
		pass(Duration.ofMillis(330));
		assertThat(this.capacity.limits(0, false)).isEqualTo(new Limits(SLOTS + 720, SLOTS + 2000));
		pass(Duration.ofMillis(30));
		assertThat(this.capacity.limits(0, false)).as("after a quiet time").isEqualTo(new Limits(SLOTS, SLOTS));
	}

	@Test
	void aClaimOfManyJobsMayTakeItsTime() {
		commit(100, Duration.ofMillis(25), 10);
		claim(1000, Duration.ofMillis(80));
		claim(1000, Duration.ofMillis(80));
		assertThat(this.capacity.limits(0, false)).isEqualTo(new Limits(SLOTS + 400, SLOTS + 1200));
	}

	@Test
	void aClaimCountsAsHalfASecondAtMost() {
		commit(10, Duration.ofMillis(25), 10);
		claim(1, Duration.ofMinutes(1));
		claim(1, Duration.ofMinutes(1));
		assertThat(this.capacity.limits(0, false)).isEqualTo(new Limits(SLOTS + 600, SLOTS + 1800));
	}

	@Test
	void anyPrefetchIsPossible() {
		Capacity unlimited = new Capacity(
				new WorkerSettings.Slots(SLOTS, Integer.MAX_VALUE, false, 1000, Duration.ZERO), this.clock::get);
		unlimited.deferred(5);
		assertThat(unlimited.deferred()).isEqualTo(5);
		unlimited.finished(Collections.nCopies(200_000_000, Duration.ZERO));
		pass(Duration.ofMillis(20));
		assertThat(unlimited.limits(0, false).toRun()).isPositive();
		assertThat(unlimited.limits(0, false).held()).isPositive();
	}

	private void claim(int jobs, Duration took) {
		this.capacity.claimed(jobs, took.toNanos());
	}

	@Test
	void slotsThatAreLostHoldNothing() {
		commit(100, Duration.ofMillis(25), 10);
		assertThat(this.capacity.limits(SLOTS - 1, false)).isEqualTo(new Limits(1 + 400, 1 + 1200));
		assertThat(this.capacity.limits(SLOTS, false)).isEqualTo(new Limits(0, 0));
	}

}
