package io.jobqueue.worker.poll;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.jobqueue.store.OrderKeys;
import io.jobqueue.store.OrderKeys.Settled;
import io.jobqueue.worker.WorkerSettings;
import io.jobqueue.worker.attempt.OrderSignal;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * When order keys are looked at.
 */
class KeysInOrderTests {

	private final AtomicLong nanos = new AtomicLong();

	private final AtomicInteger settled = new AtomicInteger();

	private Settled answer = Settled.NOTHING;

	private final OrderKeys keys = (OrderKeys) Proxy.newProxyInstance(getClass().getClassLoader(),
			new Class<?>[] { OrderKeys.class }, (proxy, called, arguments) -> {
				this.settled.incrementAndGet();
				return this.answer;
			});

	private final OrderSignal signal = new OrderSignal(() -> {
	});

	private final KeysInOrder orders = new KeysInOrder(this.keys, this.signal,
			new NewRanges(WorkerSettings.named("any"), Set.of(), this.signal), this.nanos::get);

	@Test
	void aKeyThatSomebodyHasLockedIsAskedForLessAndLessOften() {
		this.answer = new Settled(0, 5, false, List.of());
		this.orders.settle(true);
		assertThat(this.orders.next()).isEqualTo(Duration.ofMillis(10));
		settleInTime();
		assertThat(this.orders.next()).isEqualTo(Duration.ofMillis(20));
		for (int i = 0; i < 10; i++) {
			settleInTime();
		}
		assertThat(this.orders.next()).isEqualTo(Duration.ofSeconds(1));
		this.answer = new Settled(3, 5, false, List.of());
		settleInTime();
		assertThat(this.orders.next()).as("others go on").isEqualTo(Duration.ZERO);
		this.answer = new Settled(0, 5, false, List.of());
		settleInTime();
		assertThat(this.orders.next()).isEqualTo(Duration.ofMillis(10));
		this.answer = Settled.NOTHING;
		settleInTime();
		assertThat(this.orders.next()).isEqualTo(RangeChore.WHENEVER);
	}

	@Test
	void whatWasLeftIsNotAskedForWheneverSomebodyReadsThatItIsThere() {
		this.answer = new Settled(0, 5, false, List.of());
		this.orders.settle(true);
		this.orders.settle(true);
		this.orders.settle(false);
		assertThat(this.settled).hasValue(1);
		this.signal.changed();
		this.orders.settle(false);
		assertThat(this.settled).as("something has changed here").hasValue(2);
	}

	@Test
	void changesThatAnotherNodeHasSeenToAreNoReasonToWait() {
		for (int i = 0; i < 10; i++) {
			this.orders.settle(true);
		}
		assertThat(this.settled).hasValue(10);
		this.answer = new Settled(0, 5, false, List.of());
		this.orders.settle(true);
		assertThat(this.orders.next()).isEqualTo(Duration.ofMillis(10));
	}

	private void settleInTime() {
		this.nanos.addAndGet(this.orders.next().toNanos());
		this.orders.settle(false);
	}

}
