package io.jobqueue.test;

import java.time.Duration;
import java.time.LocalDateTime;
import java.util.function.Supplier;

import io.jobqueue.database.TestClock;
import org.jspecify.annotations.Nullable;

import org.springframework.core.NamedThreadLocal;

/**
 * The queue's clock as tests have set it. Each test thread has a clock of its own; other
 * threads, as those of a worker, follow the one that has started the worker.
 */
final class TestTime implements TestClock {

	private static final long MICROS = 1_000_000;

	private final ThreadLocal<Long> own = new NamedThreadLocal<>("clock of a test");

	private final ThreadLocal<LocalDateTime> fixed = new NamedThreadLocal<>("time of a test");

	private volatile long ofOthers;

	private volatile @Nullable LocalDateTime fixedOfOthers;

	@Override
	public long aheadMicros() {
		Long ahead = this.own.get();
		return (ahead != null) ? ahead : this.ofOthers;
	}

	@Override
	public @Nullable LocalDateTime fixed() {
		return (this.own.get() != null) ? this.fixed.get() : this.fixedOfOthers;
	}

	void advance(Duration by) {
		this.own.set(Math.addExact(aheadMicros(),
				Math.addExact(Math.multiplyExact(by.toSeconds(), MICROS), by.getNano() / 1_000)));
		LocalDateTime now = this.fixed.get();
		if (now != null) {
			fix(now.plus(by), this.fixedOfOthers != null);
		}
	}

	/**
	 * Lets it stand still: what is due is decided by the beginning of a call, and not by
	 * how long it takes.
	 * @param forOthers whether also for threads that have no clock of their own, on which
	 * a handler may enqueue
	 */
	void fix(LocalDateTime now, boolean forOthers) {
		this.fixed.set(now);
		if (forOthers) {
			this.fixedOfOthers = now;
		}
	}

	void goOn(boolean forOthers) {
		this.fixed.remove();
		if (forOthers) {
			this.fixedOfOthers = null;
		}
	}

	/**
	 * Does something by the present time: what others have written is measured by that.
	 */
	<T> T atPresent(Supplier<T> work) {
		Long own = this.own.get();
		LocalDateTime fixed = this.fixed.get();
		begin();
		try {
			return work.get();
		}
		finally {
			end();
			if (own != null) {
				this.own.set(own);
			}
			if (fixed != null) {
				this.fixed.set(fixed);
			}
		}
	}

	/**
	 * Other threads have the clock of this one.
	 */
	void lead() {
		this.ofOthers = aheadMicros();
	}

	void leadNoMore() {
		this.ofOthers = 0;
	}

	/**
	 * A test begins on this thread.
	 */
	void begin() {
		this.own.set(0L);
		this.fixed.remove();
	}

	void end() {
		this.own.remove();
		this.fixed.remove();
	}

}
