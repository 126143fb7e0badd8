package io.jobqueue.store.jdbc.claim;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.jobqueue.store.ReadyRange;
import io.jobqueue.store.SqlFailure;

/**
 * Ranges in which claims have waited in vain for what another transaction keeps locked,
 * and the jobs that are locked, where that is known. For some time the ranges are to be
 * claimed from in another way, and the jobs left alone.
 */
final class LockedRanges {

	private static final long PAUSE_NANOS = Duration.ofSeconds(10).toNanos();

	private static final int MOST = 1_000;

	private final LongSupplier nanoTime;

	private final Map<Object, Long> until = new ConcurrentHashMap<>();

	LockedRanges(LongSupplier nanoTime) {
		this.nanoTime = nanoTime;
	}

	boolean contains(ReadyRange range) {
		return isKnown(range.key());
	}

	/**
	 * Whether a job is locked.
	 */
	boolean containsJob(long id) {
		return isKnown(id);
	}

	private boolean isKnown(Object key) {
		Long end = this.until.get(key);
		if (end == null) {
			return false;
		}
		if (this.nanoTime.getAsLong() - end < 0) {
			return true;
		}
		this.until.remove(key);
		return false;
	}

	/**
	 * Notes a job that is locked.
	 */
	void addJob(long id) {
		add(id);
	}

	private void add(Object key) {
		if (this.until.size() > MOST) {
			this.until.clear();
		}
		this.until.put(key, this.nanoTime.getAsLong() + PAUSE_NANOS);
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
				ranges.forEach((range) -> add(range.key()));
			}
			throw ex;
		}
	}

}
