package io.jobqueue.worker.attempt;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ClaimAheadTests {

	private final AtomicLong clock = new AtomicLong(7);

	private final ClaimAhead ahead = new ClaimAhead(this.clock::get);

	private void pass(Duration time) {
		this.clock.addAndGet(time.toNanos());
	}

	@Test
	void nothingIsClaimedUntilItIsKnownWhatIsDue() {
		assertThat(this.ahead.begin()).isFalse();
		assertThat(this.ahead.isAllowed()).isFalse();
	}

	@Test
	void nextJobsAreClaimedIfNothingIsDueAndThatWasSeenLately() {
		this.ahead.nothingIsDue(8);
		pass(Duration.ofSeconds(4));
		assertThat(this.ahead.begin()).isTrue();
		assertThat(this.ahead.mostToRun()).isEqualTo(8);
		this.ahead.end();
		pass(Duration.ofSeconds(2));
		assertThat(this.ahead.begin()).isFalse();
	}

	@Test
	void nothingIsClaimedIfOthersAreDueOrTheWorkerStops() {
		this.ahead.nothingIsDue(8);
		this.ahead.othersMayBeDue();
		assertThat(this.ahead.begin()).isFalse();
		this.ahead.nothingIsDue(8);
		this.ahead.stop();
		assertThat(this.ahead.begin()).isFalse();
	}

	@Test
	void nothingIsClaimedDuringAComparison() throws InterruptedException {
		this.ahead.nothingIsDue(8);
		AtomicBoolean claims = new AtomicBoolean(true);
		assertThat(
				this.ahead.whileNoneIsClaimed(() -> onOtherThread(() -> claims.set(this.ahead.begin())), Duration.ZERO))
			.isTrue();
		assertThat(claims).isFalse();
	}

	@Test
	void aComparisonDoesNotWaitForLong() {
		this.ahead.nothingIsDue(8);
		assertThat(this.ahead.begin()).isTrue();
		AtomicBoolean compared = new AtomicBoolean(true);
		onOtherThread(() -> compared.set(this.ahead.whileNoneIsClaimed(() -> {
		}, Duration.ofMillis(1))));
		assertThat(compared).isFalse();
		this.ahead.end();
	}

	/** Claims follow each other without a gap. */
	@Test
	void aComparisonThatWaitsComesBeforeTheNextClaim() throws InterruptedException {
		this.ahead.nothingIsDue(8);
		assertThat(this.ahead.begin()).isTrue();
		CountDownLatch compared = new CountDownLatch(1);
		Thread comparison = new Thread(
				() -> this.ahead.whileNoneIsClaimed(compared::countDown, Duration.ofSeconds(30)));
		comparison.start();
		while (comparison.getState() != Thread.State.TIMED_WAITING) {
			Thread.onSpinWait();
		}
		this.ahead.end();
		if (this.ahead.begin()) {
			assertThat(compared.getCount()).isZero();
			this.ahead.end();
		}
		comparison.join();
		assertThat(compared.getCount()).isZero();
	}

	private static void onOtherThread(Runnable work) {
		Thread thread = new Thread(work);
		thread.start();
		try {
			thread.join();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
