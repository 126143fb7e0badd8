package io.jobqueue.worker.poll;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.jobqueue.store.LimitKey;
import io.jobqueue.store.LimitPauses;
import io.jobqueue.store.LimitStore;
import io.jobqueue.store.LimitStore.Settled;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * When limit keys are looked at.
 */
class JobsOfLimitsTests {

	private static final LimitKey KEY = new LimitKey(1, "a");

	private final AtomicLong nanos = new AtomicLong(1_000);

	private final AtomicInteger wakeUps = new AtomicInteger();

	private final LimitPauses pauses = new LimitPauses(this.nanos::get, this.wakeUps::incrementAndGet);

	private final List<Collection<?>> settled = new ArrayList<>();

	private Settled answer = Settled.NOTHING;

	private final LimitStore store = (LimitStore) Proxy.newProxyInstance(getClass().getClassLoader(),
			new Class<?>[] { LimitStore.class }, (proxy, called, arguments) -> switch (called.getName()) {
				case "due" -> List.of(KEY);
				case "settle" -> {
					this.settled.add(List.copyOf((Collection<?>) arguments[0]));
					yield this.answer;
				}
				default -> throw new UnsupportedOperationException(called.getName());
			});

	private final JobsOfLimits limits = new JobsOfLimits(this.store, this.pauses);

	private void pass(Duration time) {
		this.nanos.addAndGet(time.toNanos());
	}

	@Test
	void aKeyIsLookedAtWhenItsTimeHasComeThoughNoPollTellsOfIt() {
		this.pauses.due(Duration.ofMillis(50));
		assertThat(this.wakeUps).hasValue(1);
		assertThat(this.limits.settle(false)).isFalse();
		assertThat(this.settled).isEmpty();
		assertThat(this.limits.next()).isEqualTo(Duration.ofMillis(50));
		pass(Duration.ofMillis(50));
		this.answer = new Settled(1, 0, List.of(), Duration.ofMillis(20));
		assertThat(this.limits.settle(false)).isTrue();
		assertThat(this.settled).containsExactly(List.of(KEY));
		assertThat(this.limits.next()).isEqualTo(Duration.ofMillis(20));
		pass(Duration.ofMillis(20));
		this.answer = Settled.NOTHING;
		this.limits.settle(false);
		this.limits.settle(false);
		assertThat(this.settled).hasSize(2);
		assertThat(this.limits.next()).isEqualTo(RangeChore.WHENEVER);
	}

	@Test
	void theEarliestTimeCounts() {
		this.pauses.due(Duration.ofMillis(50));
		this.pauses.due(Duration.ofMillis(10));
		this.pauses.due(Duration.ofMillis(90));
		this.limits.settle(false);
		assertThat(this.limits.next()).isEqualTo(Duration.ofMillis(10));
	}

	@Test
	void aKeyThatStaysLockedIsAskedForLessAndLess() {
		this.answer = new Settled(0, 0, List.of(KEY), null);
		this.pauses.again(KEY);
		List<Duration> waits = new ArrayList<>();
		for (int i = 0; i < 9; i++) {
			this.limits.settle(false);
			waits.add(this.limits.next());
		}
		assertThat(waits.get(0)).isEqualTo(Duration.ofMillis(10));
		assertThat(waits.get(1)).isEqualTo(Duration.ofMillis(20));
		assertThat(waits.get(8)).isEqualTo(Duration.ofSeconds(1));
		this.answer = new Settled(1, 0, List.of(KEY), null);
		this.limits.settle(false);
		assertThat(this.limits.next()).isEqualTo(Duration.ofMillis(10));
	}

}
