package io.jobqueue.dashboard.api;

import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import org.jspecify.annotations.Nullable;

/**
 * Something that is read once for all who look, and again only after some time: at least
 * twenty times as long as the read took, up to a minute, so that a page that many keep
 * open costs the database no more than one. While one reads, the others have what was
 * read before.
 *
 * @param <T> what is read
 */
final class Shared<T> {

	private static final int SHARE = 20;

	/**
	 * What has failed may be over soon, as when somebody else was at it. Where the
	 * failure took long, the server may still be at work on it: as long again.
	 */
	private static final long AFTER_FAILURE = Duration.ofSeconds(3).toNanos();

	private static final long LONGEST_WAIT = Duration.ofMinutes(1).toNanos();

	private final Duration interval;

	private final Supplier<T> read;

	private final LongSupplier nanoTime;

	private final ReentrantLock reading = new ReentrantLock();

	@GuardedBy("reading")
	private long nextAt;

	private volatile boolean expired;

	private volatile @Nullable T latest;

	private volatile @Nullable RuntimeException failure;

	/**
	 * Creates it; nothing is read yet.
	 * @param interval the least time between two reads
	 * @param read reads
	 * @param nanoTime the monotonic clock
	 */
	Shared(Duration interval, Supplier<T> read, LongSupplier nanoTime) {
		this.interval = interval;
		this.read = read;
		this.nanoTime = nanoTime;
	}

	/**
	 * What was read last, which is not older than the interval unless reading takes long.
	 * What it threw is thrown to all until the next read.
	 */
	T get() {
		T known = this.latest;
		if (known == null || this.expired) {
			this.reading.lock();
		}
		else if (!this.reading.tryLock()) {
			return checked(known);
		}
		try {
			known = this.latest;
			boolean never = known == null && this.failure == null;
			return (never || this.expired || this.nanoTime.getAsLong() - this.nextAt >= 0) ? read() : checked(known);
		}
		finally {
			this.reading.unlock();
		}
	}

	/**
	 * What was read last; null if nothing was.
	 */
	@Nullable T known() {
		return this.latest;
	}

	/**
	 * Lets the next one who asks read again, since something was changed.
	 */
	void expire() {
		this.expired = true;
	}

	private T checked(@Nullable T known) {
		RuntimeException failed = this.failure;
		if (failed != null || known == null) {
			throw (failed != null) ? failed : new IllegalStateException("Nothing was read");
		}
		return known;
	}

	@GuardedBy("reading")
	private T read() {
		this.expired = false;
		long begun = this.nanoTime.getAsLong();
		long wait = this.interval.toNanos();
		try {
			T now = this.read.get();
			this.latest = now;
			this.failure = null;
			wait = Math.max(wait, Math.min(LONGEST_WAIT, SHARE * (this.nanoTime.getAsLong() - begun)));
			return now;
		}
		catch (RuntimeException ex) {
			this.failure = ex;
			throw ex;
		}
		finally {
			long now = this.nanoTime.getAsLong();
			this.nextAt = now
					+ ((this.failure == null) ? wait : Math.max(AFTER_FAILURE, Math.min(LONGEST_WAIT, now - begun)));
		}
	}

}
