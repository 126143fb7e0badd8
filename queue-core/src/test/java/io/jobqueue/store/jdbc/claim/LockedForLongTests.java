package io.jobqueue.store.jdbc.claim;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import io.jobqueue.store.LimitKey;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LockedForLongTests {

	private static final LimitKey KEY = new LimitKey(1, "");

	private static final Duration CLAIM = Duration.ofMillis(5);

	private final AtomicLong nanos = new AtomicLong(1);

	private final LockedForLong locked = new LockedForLong(this.nanos::get);

	@Test
	void theLongerOneIsLockedTheLongerItIsLeftAlone() {
		assertThat(this.locked.pause(KEY)).isEqualTo(CLAIM);
		this.locked.note(KEY, true);
		assertThat(this.locked.pause(KEY)).isEqualTo(CLAIM);
		pass(Duration.ofMillis(300));
		this.locked.note(KEY, true);
		assertThat(this.locked.pause(KEY)).isEqualTo(Duration.ofMillis(300));
		for (int i = 0; i < 10; i++) {
			pass(Duration.ofSeconds(1));
			this.locked.note(KEY, true);
		}
		assertThat(this.locked.pause(KEY)).isEqualTo(Duration.ofSeconds(1));
		this.locked.note(KEY, false);
		assertThat(this.locked.pause(KEY)).isEqualTo(CLAIM);
	}

	@Test
	void oneThatWasLockedLongAgoWasFreeMeanwhile() {
		this.locked.note(KEY, true);
		pass(Duration.ofMinutes(5));
		this.locked.note(KEY, true);
		assertThat(this.locked.pause(KEY)).isEqualTo(CLAIM);
	}

	private void pass(Duration time) {
		this.nanos.addAndGet(time.toNanos());
	}

}
