package io.jobqueue.store.jdbc.claim;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.jobqueue.store.ReadyRange;
import io.jobqueue.store.SqlFailure;

/**
 * Ranges in which claims have waited in vain for what another transaction keeps locked.
 * For some time they are to be claimed from in another way.
 */
final class LockedRanges {

	private static final long PAUSE_NANOS = Duration.ofSeconds(10).toNanos();

	private static final int MOST_RANGES = 1_000;

	private final LongSupplier nanoTime;

	private final Map<ReadyRange, Long> until = new ConcurrentHashMap<>();

	LockedRanges(LongSupplier nanoTime) {
		this.nanoTime = nanoTime;
	}

	boolean contains(ReadyRange range) {
		Long end = this.until.get(range.key());
		if (end == null) {
			return false;
		}
		if (this.nanoTime.getAsLong() - end < 0) {
			return true;
		}
		this.until.remove(range.key());
		return false;
	}

	/**
	 * Runs a statement that may wait for locks.
	 * @param <T> what it returns
	 * @param ranges whose jobs it changes
	 * @param statement the statement
	 * @return what it returned
	 */
	<T> T watch(Iterable<ReadyRange> ranges, Supplier<T> statement) {
		try {
			return statement.get();
		}
		catch (RuntimeException ex) {
			if (SqlFailure.isLockWait(ex)) {
				if (this.until.size() > MOST_RANGES) {
					this.until.clear();
				}
				long end = this.nanoTime.getAsLong() + PAUSE_NANOS;
				ranges.forEach((range) -> this.until.put(range.key(), end));
			}
			throw ex;
		}
	}

}
