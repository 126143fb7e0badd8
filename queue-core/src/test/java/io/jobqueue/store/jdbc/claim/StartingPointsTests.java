package io.jobqueue.store.jdbc.claim;

import java.sql.SQLRecoverableException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import io.jobqueue.database.Utc;
import io.jobqueue.poison.Suspicion;
import io.jobqueue.poison.Suspicion.Degree;
import io.jobqueue.store.Claim;
import io.jobqueue.store.ClaimedJob;
import io.jobqueue.store.Deadlines;
import io.jobqueue.store.ReadyRange;
import io.jobqueue.test.ClaimRequests;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.dao.DataAccessResourceFailureException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * When a claim may start behind the last one.
 */
class StartingPointsTests {

	private static final ReadyRange RANGE = new ReadyRange("default", 4, 0, Degree.NONE, false, Duration.ZERO);

	private static final ReadyRange OTHER = new ReadyRange("default", 5, 0, Degree.NONE, false, Duration.ZERO);

	private static final long CHEAP = Duration.ofMillis(2).toNanos();

	private static final Duration COSTLY_LOOK = Duration.ofMillis(300);

	private static final long COSTLY = COSTLY_LOOK.toNanos();

	private static final LocalDateTime TIME = LocalDateTime.of(2026, 1, 1, 0, 0);

	private final AtomicLong clock = new AtomicLong(Duration.ofHours(1).toNanos());

	private final RangePoints ranges = new RangePoints(this.clock::get);

	private boolean paused;

	private final StartingPoints points = new StartingPoints(this.clock::get, new StartingPoints.Server() {

		@Override
		public LocalDateTime now(ClaimTransaction claim) {
			return NOW;
		}

		@Override
		public boolean isServed(ReadyRange range) {
			return !StartingPointsTests.this.paused;
		}

	});

	private static StartingPoints.End end(@Nullable Point point) {
		return new StartingPoints.End(point, false);
	}

	private void pass(Duration time) {
		this.clock.addAndGet(time.toNanos());
	}

	@Test
	void theFirstClaimLooksFromTheStart() {
		assertThat(this.ranges.of(RANGE)).isNull();
	}

	@Test
	void aClaimThatFoundAllThatItWantedIsFollowedUpBehindItsLastJob() {
		this.ranges.looked(RANGE, end(new Point(TIME, 7)), true, CHEAP);
		assertThat(this.ranges.of(RANGE)).isEqualTo(new Point(TIME, 7));
		assertThat(this.ranges.of(OTHER)).as("each line has its own").isNull();
		this.ranges.resumed(RANGE, end(new Point(TIME, 9)), true);
		assertThat(this.ranges.of(RANGE)).isEqualTo(new Point(TIME, 9));
	}

	@Test
	void aClaimThatFoundFewerIsFollowedByALookFromTheStart() {
		this.ranges.looked(RANGE, end(new Point(TIME, 7)), true, CHEAP);
		this.ranges.resumed(RANGE, end(new Point(TIME, 8)), false);
		assertThat(this.ranges.of(RANGE)).isNull();
		this.ranges.looked(RANGE, end(new Point(TIME, 9)), false, CHEAP);
		assertThat(this.ranges.of(RANGE)).isNull();
	}

	@Test
	void theStartIsLookedAtTenTimesASecondHoweverMuchThereIsBehindThePoint() {
		this.ranges.looked(RANGE, end(new Point(TIME, 7)), true, CHEAP);
		pass(Duration.ofMillis(60));
		this.ranges.resumed(RANGE, end(new Point(TIME, 8)), true);
		pass(Duration.ofMillis(60));
		assertThat(this.ranges.of(RANGE)).isNull();
	}

	private void lookedTwice(boolean full) {
		this.ranges.looked(RANGE, end(new Point(TIME, 7)), full, COSTLY);
		this.ranges.looked(RANGE, end(new Point(TIME, 7)), full, COSTLY);
	}

	@Test
	void aLookThatTakesLongIsSparedForTenTimesAsLongEvenIfLittleIsFound() {
		lookedTwice(false);
		assertThat(this.ranges.isSpared(RANGE)).isTrue();
		pass(Duration.ofMillis(2_900));
		this.ranges.resumed(RANGE, end(null), false);
		assertThat(this.ranges.of(RANGE)).isEqualTo(new Point(TIME, 7));
		pass(Duration.ofMillis(200));
		assertThat(this.ranges.of(RANGE)).isNull();
	}

	@Test
	void aLookThatTookLongOnceWasHeldUpBySomethingElse() {
		this.ranges.looked(RANGE, end(new Point(TIME, 7)), false, CHEAP);
		this.ranges.looked(RANGE, end(new Point(TIME, 7)), false, COSTLY);
		assertThat(this.ranges.of(RANGE)).isNull();
		assertThat(this.ranges.isSpared(RANGE)).isFalse();
	}

	@Test
	void aLookThatNeverEndsIsSparedForFiveMinutesAtMost() {
		this.ranges.looked(RANGE, end(new Point(TIME, 7)), false, CHEAP);
		this.ranges.failed(RANGE, Duration.ofMinutes(1).toNanos());
		assertThat(this.ranges.of(RANGE)).isEqualTo(new Point(TIME, 7));
		pass(Duration.ofSeconds(299));
		assertThat(this.ranges.of(RANGE)).isEqualTo(new Point(TIME, 7));
		pass(Duration.ofSeconds(2));
		assertThat(this.ranges.of(RANGE)).isNull();
	}

	@Test
	void aLookThatFindsNothingKeepsThePoint() {
		lookedTwice(false);
		pass(Duration.ofSeconds(4));
		this.ranges.looked(RANGE, end(null), false, COSTLY);
		assertThat(this.ranges.of(RANGE)).isEqualTo(new Point(TIME, 7));
	}

	@Test
	void manyJobsBeforeThePointLeadBackToThemAndFewDoNot() {
		lookedTwice(true);
		this.ranges.looked(RANGE, end(new Point(TIME.minusHours(1), 99)), false, COSTLY);
		assertThat(this.ranges.of(RANGE)).isEqualTo(new Point(TIME, 7));
		this.ranges.looked(RANGE, end(new Point(TIME, 5)), true, COSTLY);
		assertThat(this.ranges.of(RANGE)).isEqualTo(new Point(TIME, 5));
	}

	/** Since when the jobs are due that looks find, and the database's clock. */
	private static final LocalDateTime NOW = TIME.plusHours(1);

	private static final Point PASSED = Point.upTo(NOW.minusSeconds(1));

	private final List<@Nullable Point> starts = new ArrayList<>();

	private static Candidate job(LocalDateTime available, long id) {
		ClaimedJob job = new ClaimedJob(new Claim(id, 1, 1), "work", RANGE, 1, 0, Duration.ZERO, Suspicion.NONE,
				Instant.EPOCH, Duration.ZERO, new ClaimedJob.Payload(null, false));
		return new Candidate(job, ChronoUnit.MICROS.between(Utc.of(Instant.EPOCH), available), false, false, null);
	}

	private ReadyRange range = RANGE;

	private int skip;

	private final Set<Long> left = new HashSet<>();

	private List<Candidate> look(boolean committed, Duration took, Candidate... found) {
		ClaimTransaction claim = ClaimTransaction
			.of(ClaimRequests.any(1, List.of(this.range), 2, Deadlines.always(COSTLY_LOOK)), Set.of());
		List<Candidate> jobs = this.points.look(claim, this.range, new StartingPoints.Batch(2, this.skip), (start) -> {
			this.starts.add(start);
			pass((start == null) ? took : Duration.ofMillis(1));
			return List.of(found);
		});
		jobs.stream().map(Candidate::id).filter((id) -> !this.left.contains(id)).forEach(claim::settled);
		if (committed) {
			claim.committed();
		}
		return jobs;
	}

	private void lookThatTimesOut() {
		assertThatExceptionOfType(DataAccessResourceFailureException.class).isThrownBy(() -> this.points.look(
				ClaimTransaction.of(ClaimRequests.any(1, List.of(RANGE), 2, Deadlines.always(COSTLY_LOOK)), Set.of()),
				RANGE, new StartingPoints.Batch(2, 0), (start) -> {
					this.starts.add(start);
					pass(Duration.ofSeconds(5));
					throw new DataAccessResourceFailureException("no answer", new SQLRecoverableException("no answer"));
				}));
	}

	private List<Candidate> look(Candidate... found) {
		return look(true, COSTLY_LOOK, found);
	}

	@Test
	void aRangeWithNothingButJobsOfOthersIsReadOverForATenthOfTheTime() {
		look();
		look();
		assertThat(look()).as("left alone").isEmpty();
		assertThat(this.starts).hasSize(2);
		pass(Duration.ofSeconds(1));
		IntStream.range(0, 100).forEach((number) -> assertThat(look()).isEmpty());
		assertThat(this.starts).hasSize(102);
		assertThat(this.starts.subList(2, 102)).containsOnly(PASSED);
		pass(COSTLY_LOOK.multipliedBy(10));
		look();
		assertThat(this.starts.get(102)).isNull();
	}

	@Test
	void jobsThatComeBehindThoseOfOthersAreFoundAtOnce() {
		look();
		look();
		pass(Duration.ofSeconds(1));
		Candidate late = job(NOW.minusNanos(500_000_000), 5);
		assertThat(look(late)).containsExactly(late);
		assertThat(this.starts).containsExactly(null, null, PASSED);
		look();
		assertThat(this.starts.get(3)).as("one before it may still be committed").isEqualTo(PASSED);
	}

	@Test
	void behindTheLastJobThatASlowLookFoundTheRestIsPassedOver() {
		look(job(TIME, 1));
		look(job(TIME, 2));
		look();
		assertThat(this.starts).containsExactly(null, null, PASSED);
	}

	@Test
	void aSlowLookThatFoundAllThatItWantedIsFollowedUpBehindItsLastJob() {
		look();
		look(job(TIME, 1), job(TIME, 2));
		look(job(TIME, 3), job(TIME, 4));
		look();
		assertThat(this.starts).containsExactly(null, null, new Point(TIME, 2), new Point(TIME, 4));
	}

	@Test
	void aQuickLookPassesOverNobody() {
		IntStream.range(0, 3).forEach((number) -> look(true, Duration.ofMillis(2), job(TIME, number)));
		assertThat(this.starts).containsOnlyNulls();
	}

	@Test
	void aLookWhoseClaimWasRolledBackHasPassedOverNobody() {
		look();
		look(false, COSTLY_LOOK);
		pass(Duration.ofSeconds(1));
		look(false, COSTLY_LOOK);
		assertThat(this.starts).hasSize(3).containsOnlyNulls();
	}

	/** A worker that begins there each time would never claim anything any more. */
	@Test
	void whereTwoLooksInARowTakeLongerThanTheServerIsWaitedForTheNextOneBeginsBehindThat() {
		lookThatTimesOut();
		lookThatTimesOut();
		Candidate next = job(NOW, 5);
		assertThat(look(next)).containsExactly(next);
		assertThat(this.starts).containsExactly(null, null, PASSED);
		pass(Duration.ofSeconds(51));
		look(next);
		assertThat(this.starts.get(3)).as("after ten times as long").isNull();
	}

	@Test
	void behindAPointItIsTheSame() {
		look(job(TIME, 1), job(TIME, 2));
		lookThatTimesOut();
		lookThatTimesOut();
		look();
		assertThat(this.starts).containsExactly(null, new Point(TIME, 2), new Point(TIME, 2), PASSED);
	}

	@Test
	void aServerThatWasAwayOnceHidesNoJobs() {
		lookThatTimesOut();
		look(true, Duration.ofMillis(2), job(TIME, 1));
		look(true, Duration.ofMillis(2), job(TIME, 2));
		assertThat(this.starts).containsOnlyNulls();
	}

	/** There was no room for it, or a suspect beside it. */
	@Test
	void theNextLookBeginsWithTheFirstJobThatWasFoundAndNotTaken() {
		look();
		this.left.add(2L);
		look(job(TIME, 1), job(TIME, 2));
		look();
		assertThat(this.starts).containsExactly(null, null, new Point(TIME, 1));
		this.left.add(3L);
		pass(Duration.ofSeconds(2));
		look(job(TIME.minusHours(1), 3));
		look();
		assertThat(this.starts.subList(3, 5)).as("before what is known too")
			.containsExactly(new Point(TIME, 1), new Point(TIME.minusHours(1), 2));
	}

	/** What it passed over may be jobs. */
	@Test
	void aLookThatBeganFurtherBackAndFoundNothingSaysNothing() {
		this.skip = 2;
		IntStream.range(0, 3).forEach((number) -> look());
		assertThat(this.starts).as("not left alone").hasSize(3).containsOnlyNulls();
		this.skip = 0;
		Candidate first = job(TIME, 1);
		assertThat(look(first)).containsExactly(first);
	}

	/** Its jobs were not read over. */
	@Test
	void whereNothingWasFoundSinceTheQueueWasPausedNothingIsPassedOver() {
		this.paused = true;
		IntStream.range(0, 3).forEach((number) -> {
			look();
			pass(Duration.ofSeconds(1));
		});
		assertThat(this.starts).hasSize(3).containsOnlyNulls();
	}

	/** Jobs that are sorted out come to stand where they would have stood. */
	@Test
	void inARangeOfOneTypeNoJobsArePassedOver() {
		this.range = new ReadyRange("default", 4, 7, Degree.NONE, false, Duration.ZERO);
		look();
		look(job(TIME, 1));
		look(job(TIME, 2));
		assertThat(this.starts).containsExactly(null, null, new Point(TIME, 1));
	}

}
