package io.jobqueue.store.jdbc.claim;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import io.jobqueue.poison.Suspicion.Degree;
import io.jobqueue.store.ReadyRange;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * When a range is left alone.
 */
class FruitlessLooksTests {

	private static final ReadyRange RANGE = new ReadyRange("default", 4, 0, Degree.NONE, false, Duration.ZERO);

	private final AtomicLong clock = new AtomicLong(Duration.ofHours(1).toNanos());

	private final FruitlessLooks looks = new FruitlessLooks(this.clock::get);

	private void looked(boolean found, long millis) {
		this.looks.looked(RANGE, found, Duration.ofMillis(millis).toNanos());
	}

	private boolean isLeftAloneAfter(long millis) {
		this.clock.addAndGet(Duration.ofMillis(millis).toNanos());
		return this.looks.isLeftAlone(RANGE);
	}

	@Test
	void oneThatIsSlowOnceWasHeldUpBySomethingElse() {
		looked(false, 500);
		assertThat(isLeftAloneAfter(0)).isFalse();
		looked(true, 500);
		looked(false, 500);
		assertThat(isLeftAloneAfter(0)).isFalse();
	}

	@Test
	void afterTheSecondTheRangeIsLeftAloneForTenTimesAsLong() {
		looked(false, 900);
		looked(false, 30);
		assertThat(isLeftAloneAfter(299)).isTrue();
		assertThat(isLeftAloneAfter(1)).isFalse();
		looked(false, 40);
		assertThat(isLeftAloneAfter(299)).isTrue();
		assertThat(isLeftAloneAfter(1)).isFalse();
	}

	@Test
	void butForASecondAtMost() {
		looked(false, 3_000);
		looked(false, 3_000);
		assertThat(isLeftAloneAfter(999)).isTrue();
		assertThat(isLeftAloneAfter(1)).isFalse();
	}

	@Test
	void aQuickOneOrOneThatFindsJobsEndsIt() {
		looked(false, 500);
		looked(false, 19);
		looked(false, 500);
		assertThat(isLeftAloneAfter(0)).isFalse();
	}

}
