package io.jobqueue.test;

import java.time.Duration;
import java.time.LocalDateTime;

import io.jobqueue.database.TestClock;
import org.jspecify.annotations.Nullable;

import org.springframework.core.NamedThreadLocal;

/**
 * The queue's clock as tests have set it. Each test thread has a clock of its own; a
 * worker's threads follow the one that has started it.
 */
final class TestTime implements TestClock {

	private final ThreadLocal<Long> own = new NamedThreadLocal<>("clock of a test");

	private final ThreadLocal<LocalDateTime> fixed = new NamedThreadLocal<>("time of a test");

	private volatile long ofWorker;

	@Override
	public long aheadMicros() {
		Long ahead = this.own.get();
		return (ahead != null) ? ahead : this.ofWorker;
	}

	@Override
	public @Nullable LocalDateTime fixed() {
		return this.fixed.get();
	}

	void advance(Duration by) {
		this.own.set(Math.addExact(aheadMicros(), by.toNanos() / 1_000));
		LocalDateTime now = this.fixed.get();
		if (now != null) {
			this.fixed.set(now.plus(by));
		}
	}

	/**
	 * Lets it stand still: what is due is decided by the beginning of a call, and not by
	 * how long it takes.
	 */
	void fix(LocalDateTime now) {
		this.fixed.set(now);
	}

	void goOn() {
		this.fixed.remove();
	}

	void follow() {
		this.ofWorker = aheadMicros();
	}

	void reset() {
		this.own.remove();
		this.fixed.remove();
		this.ofWorker = 0;
	}

}
