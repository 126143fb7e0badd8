package io.jobqueue.store.jdbc.claim;

import java.time.Duration;
import java.time.LocalDateTime;
import java.util.concurrent.atomic.AtomicLong;

import io.jobqueue.poison.Suspicion.Degree;
import io.jobqueue.store.ReadyRange;
import io.jobqueue.store.jdbc.claim.StartingPoints.Point;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * When a claim may start behind the last one.
 */
class StartingPointsTests {

	private static final ReadyRange RANGE = new ReadyRange("default", 4, 0, Degree.NONE, false, Duration.ZERO);

	private static final ReadyRange OTHER = new ReadyRange("default", 5, 0, Degree.NONE, false, Duration.ZERO);

	private static final long CHEAP = Duration.ofMillis(2).toNanos();

	private static final long COSTLY = Duration.ofMillis(300).toNanos();

	private static final LocalDateTime TIME = LocalDateTime.of(2026, 1, 1, 0, 0);

	private final AtomicLong clock = new AtomicLong(Duration.ofHours(1).toNanos());

	private final StartingPoints points = new StartingPoints(this.clock::get);

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

}
