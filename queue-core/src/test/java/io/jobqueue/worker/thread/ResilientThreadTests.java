package io.jobqueue.worker.thread;

import java.util.concurrent.atomic.AtomicInteger;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ResilientThreadTests {

	private final AtomicInteger steps = new AtomicInteger();

	@Test
	void goesOnWhateverAStepThrows() {
		Thread thread = ResilientThread.start("test", () -> switch (this.steps.incrementAndGet()) {
			case 1 -> throw new OutOfMemoryError("for a test");
			case 2 -> throw new IllegalStateException("for a test");
			case 3 -> throw new InterruptedException("for a test");
			default -> this.steps.get() < 5;
		});
		Awaitility.await().until(() -> !thread.isAlive());
		assertThat(this.steps).hasValue(5);
	}

	/**
	 * A scheduled executor never again does what has thrown once.
	 */
	@Test
	void letsNothingOutOfWhatIsGuarded() {
		assertThat(ResilientThread.guarded("test", () -> {
			throw new OutOfMemoryError("for a test");
		})).isFalse();
		assertThat(ResilientThread.guarded("test", this.steps::incrementAndGet)).isTrue();
	}

}
