package io.jobqueue.store.jdbc.claim;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
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

import static org.assertj.core.api.Assertions.assertThat;

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

	private final StartingPoints points = new StartingPoints(this.clock::get, () -> NOW);

	private void pass(Duration time) {
		this.clock.addAndGet(time.toNanos());
	}

	@Test
	void theFirstClaimLooksFromTheStart() {
		assertThat(this.points.of(RANGE)).isNull();
	}

	@Test
	void aClaimThatFoundAllThatItWantedIsFollowedUpBehindItsLastJob() {
		this.points.looked(RANGE, new Point(TIME, 7), true, CHEAP);
		assertThat(this.points.of(RANGE)).isEqualTo(new Point(TIME, 7));
		assertThat(this.points.of(OTHER)).as("each line has its own").isNull();
		this.points.resumed(RANGE, new Point(TIME, 9), true);
		assertThat(this.points.of(RANGE)).isEqualTo(new Point(TIME, 9));
	}

	@Test
	void aClaimThatFoundFewerIsFollowedByALookFromTheStart() {
		this.points.looked(RANGE, new Point(TIME, 7), true, CHEAP);
		this.points.resumed(RANGE, new Point(TIME, 8), false);
		assertThat(this.points.of(RANGE)).isNull();
		this.points.looked(RANGE, new Point(TIME, 9), false, CHEAP);
		assertThat(this.points.of(RANGE)).isNull();
	}

	@Test
	void theStartIsLookedAtTenTimesASecondHoweverMuchThereIsBehindThePoint() {
		this.points.looked(RANGE, new Point(TIME, 7), true, CHEAP);
		pass(Duration.ofMillis(60));
		this.points.resumed(RANGE, new Point(TIME, 8), true);
		pass(Duration.ofMillis(60));
		assertThat(this.points.of(RANGE)).isNull();
	}

	private void lookedTwice(boolean full) {
		this.points.looked(RANGE, new Point(TIME, 7), full, COSTLY);
		this.points.looked(RANGE, new Point(TIME, 7), full, COSTLY);
	}

	@Test
	void aLookThatTakesLongIsSparedForTenTimesAsLongEvenIfLittleIsFound() {
		lookedTwice(false);
		assertThat(this.points.isSpared(RANGE)).isTrue();
		pass(Duration.ofMillis(2_900));
		this.points.resumed(RANGE, null, false);
		assertThat(this.points.of(RANGE)).isEqualTo(new Point(TIME, 7));
		pass(Duration.ofMillis(200));
		assertThat(this.points.of(RANGE)).isNull();
	}

	@Test
	void aLookThatTookLongOnceWasHeldUpBySomethingElse() {
		this.points.looked(RANGE, new Point(TIME, 7), false, CHEAP);
		this.points.looked(RANGE, new Point(TIME, 7), false, COSTLY);
		assertThat(this.points.of(RANGE)).isNull();
		assertThat(this.points.isSpared(RANGE)).isFalse();
	}

	@Test
	void aLookThatNeverEndsIsSparedForFiveMinutesAtMost() {
		this.points.looked(RANGE, new Point(TIME, 7), false, CHEAP);
		this.points.failed(RANGE, Duration.ofMinutes(1).toNanos());
		assertThat(this.points.of(RANGE)).isEqualTo(new Point(TIME, 7));
		pass(Duration.ofSeconds(299));
		assertThat(this.points.of(RANGE)).isEqualTo(new Point(TIME, 7));
		pass(Duration.ofSeconds(2));
		assertThat(this.points.of(RANGE)).isNull();
	}

	@Test
	void aLookThatFindsNothingKeepsThePoint() {
		lookedTwice(false);
		pass(Duration.ofSeconds(4));
		this.points.looked(RANGE, null, false, COSTLY);
		assertThat(this.points.of(RANGE)).isEqualTo(new Point(TIME, 7));
	}

	@Test
	void manyJobsBeforeThePointLeadBackToThemAndFewDoNot() {
		lookedTwice(true);
		this.points.looked(RANGE, new Point(TIME.minusHours(1), 99), false, COSTLY);
		assertThat(this.points.of(RANGE)).isEqualTo(new Point(TIME, 7));
		this.points.looked(RANGE, new Point(TIME, 5), true, COSTLY);
		assertThat(this.points.of(RANGE)).isEqualTo(new Point(TIME, 5));
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

	private List<Candidate> look(boolean committed, Duration took, Candidate... found) {
		ClaimTransaction claim = ClaimTransaction
			.of(ClaimRequests.any(1, List.of(RANGE), 2, Deadlines.always(COSTLY_LOOK)), Set.of());
		List<Candidate> jobs = this.points.look(claim, RANGE, 2, (start) -> {
			this.starts.add(start);
			pass((start == null) ? took : Duration.ofMillis(1));
			return List.of(found);
		});
		if (committed) {
			claim.committed();
		}
		return jobs;
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

}
