package io.jobqueue.maintenance;

import java.time.Duration;
import java.time.LocalDateTime;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class DatabaseClockTests {

	private static final LocalDateTime START = LocalDateTime.of(2026, 1, 1, 0, 0);

	private final AtomicLong nanos = new AtomicLong(5);

	private final DatabaseClock clock = new DatabaseClock(this.nanos::get, Duration.ofSeconds(5));

	private LocalDateTime shown = START;

	private Duration pass(Duration real, Duration byDatabase) {
		this.nanos.addAndGet(real.toNanos());
		this.shown = this.shown.plus(byDatabase);
		return this.clock.read(this.shown);
	}

	@Test
	void aClockThatGoesRightHasNotJumped() {
		assertThat(pass(Duration.ZERO, Duration.ZERO)).isZero();
		assertThat(pass(Duration.ofSeconds(5), Duration.ofSeconds(9))).isZero();
		assertThat(pass(Duration.ofHours(9), Duration.ofHours(9))).isZero();
		assertThat(pass(Duration.ofSeconds(5), Duration.ofHours(-1))).isZero();
		assertThat(this.clock.elapsed(Duration.ofMinutes(3))).isEqualTo(Duration.ofMinutes(3));
	}

	@Test
	void whatWasBeforeAJumpIsNotAsLongAgoAsItSeems() {
		pass(Duration.ofHours(1), Duration.ofHours(1));
		assertThat(pass(Duration.ofSeconds(5), Duration.ofSeconds(3_605))).isEqualTo(Duration.ofHours(1));
		pass(Duration.ofMinutes(10), Duration.ofMinutes(10));
		assertThat(this.clock.elapsed(Duration.ofMinutes(9))).as("after the jump").isEqualTo(Duration.ofMinutes(9));
		assertThat(this.clock.elapsed(Duration.ofMinutes(71))).as("a minute before").isEqualTo(Duration.ofMinutes(11));
		assertThat(this.clock.elapsed(Duration.ofMinutes(30))).as("no time at all").isEqualTo(Duration.ofMinutes(10));
	}

	@Test
	void jumpsAddUp() {
		pass(Duration.ofHours(1), Duration.ofHours(1));
		pass(Duration.ofMinutes(1), Duration.ofMinutes(61));
		pass(Duration.ofMinutes(1), Duration.ofMinutes(121));
		assertThat(this.clock.elapsed(Duration.ofMinutes(182))).isEqualTo(Duration.ofMinutes(2));
		assertThat(this.clock.elapsed(Duration.ofMinutes(190))).isEqualTo(Duration.ofMinutes(10));
	}

	/**
	 * A node that starts after a jump must not take what others claimed before it.
	 */
	@Test
	void nothingIsLongerAgoThanTheClockWasLookedAt() {
		pass(Duration.ofSeconds(30), Duration.ofSeconds(30));
		assertThat(this.clock.elapsed(Duration.ofMinutes(5))).isEqualTo(Duration.ofSeconds(30));
		assertThat(this.clock.elapsed(Duration.ofSeconds(20))).isEqualTo(Duration.ofSeconds(20));
	}

}
