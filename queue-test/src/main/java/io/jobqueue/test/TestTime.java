package io.jobqueue.test;

import java.time.Duration;

import org.springframework.core.NamedThreadLocal;

/**
 * By how much a test has moved the queue's clock. Each test thread has a clock of its
 * own; a worker's threads follow the one that has started it.
 */
final class TestTime {

	private final ThreadLocal<Long> own = new NamedThreadLocal<>("clock of a test");

	private volatile long ofWorker;

	long aheadMicros() {
		Long ahead = this.own.get();
		return (ahead != null) ? ahead : this.ofWorker;
	}

	void advance(Duration by) {
		this.own.set(Math.addExact(aheadMicros(), by.toNanos() / 1_000));
	}

	void follow() {
		this.ofWorker = aheadMicros();
	}

	void reset() {
		this.own.remove();
		this.ofWorker = 0;
	}

}
