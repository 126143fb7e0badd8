package io.jobqueue.maintenance;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import io.jobqueue.store.Agenda;
import io.jobqueue.store.ScheduleStore;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * When a node looks for ticks that are due.
 */
class NextTickTests {

	private static final Instant NOW = Instant.parse("2026-11-27T12:00:00Z");

	private final AtomicLong clock = new AtomicLong(-1);

	private final NextTick next = new NextTick(this.clock::get);

	private void pass(long millis) {
		this.clock.addAndGet(Duration.ofMillis(millis).toNanos());
	}

	private void seen(@Nullable Instant tick) {
		this.next.note(new ScheduleStore.Due(NOW, tick, List.of()));
	}

	private SharedAgenda.Reading reading(long begun, @Nullable Duration untilTick) {
		return new SharedAgenda.Reading(new Agenda(LocalDateTime.MIN, false, false, false, untilTick, false,
				new Agenda.KeysInUse(false, false, false, false, false)), begun, this.clock.get());
	}

	@Test
	void whatIsNotKnownMayBeDue() {
		assertThat(this.next.isDue()).isTrue();
	}

	@Test
	void aTickIsDueWhenItWasSeenToBe() {
		this.next.look();
		pass(20);
		seen(NOW.plusMillis(500));
		pass(479);
		assertThat(this.next.isDue()).isFalse();
		pass(1);
		assertThat(this.next.isDue()).isTrue();
	}

	@Test
	void whatWasLeftIsLookedForAgainSoon() {
		this.next.look();
		seen(NOW.minusMillis(1));
		assertThat(this.next.isDue()).isFalse();
		pass(100);
		assertThat(this.next.isDue()).isTrue();
	}

	@Test
	void aLookThatFailedLeavesItDue() {
		this.next.look();
		seen(NOW.plusSeconds(30));
		this.next.look();
		assertThat(this.next.isDue()).isTrue();
	}

	@Test
	void theAgendaTellsOfWhatOthersHaveSavedAndOfWhatTheyHaveFired() {
		this.next.look();
		seen(NOW.plusSeconds(30));
		pass(5_000);
		this.next.note(reading(this.clock.get(), Duration.ofSeconds(2)));
		pass(1_999);
		assertThat(this.next.isDue()).isFalse();
		pass(1);
		assertThat(this.next.isDue()).isTrue();
		this.next.note(reading(this.clock.get(), Duration.ofSeconds(58)));
		assertThat(this.next.isDue()).isFalse();
		this.next.note(reading(this.clock.get(), Duration.ZERO));
		assertThat(this.next.isDue()).isTrue();
	}

	@Test
	void theTimeOfALongReadCounts() {
		this.next.look();
		seen(NOW.plusSeconds(30));
		pass(1_000);
		long begun = this.clock.get();
		pass(3_000);
		this.next.note(reading(begun, Duration.ofSeconds(3)));
		assertThat(this.next.isDue()).isTrue();
	}

	/**
	 * A schedule was saved here after the agenda was read.
	 */
	@Test
	void anOlderReadingPutsOffNoTick() {
		long begun = this.clock.get();
		pass(10);
		this.next.look();
		seen(NOW.plusSeconds(1));
		this.next.note(reading(begun, null));
		pass(1_000);
		assertThat(this.next.isDue()).isTrue();
	}

	@Test
	void withoutAnyTickItLooksAgainAfterAMinute() {
		this.next.look();
		seen(null);
		pass(59_999);
		assertThat(this.next.isDue()).isFalse();
		pass(1);
		assertThat(this.next.isDue()).isTrue();
	}

}
