package io.jobqueue.dashboard.api;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.CannotAcquireLockException;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.transaction.CannotCreateTransactionException;

/**
 * Something that is read once for all who look, and again only after some time: at least
 * twenty times as long as the read took, up to five minutes, so that a page that many
 * keep open costs the database little. While one reads, the others have what was read
 * before.
 *
 * @param <T> what is read
 */
final class Shared<T> {

	private static final int SHARE = 20;

	/**
	 * What has failed may be over soon, as when somebody else was at it. Where the
	 * failure took long, the server may still be at work on it: as long again, unless
	 * there was no connection.
	 */
	private static final long AFTER_FAILURE = Duration.ofSeconds(3).toNanos();

	private static final long LONGEST_PAUSE = Duration.ofMinutes(5).toNanos();

	private static final long LONGEST_PAUSE_AFTER_FAILURE = Duration.ofMinutes(1).toNanos();

	/**
	 * For somebody else's read. Longer, requests would take the application's threads.
	 */
	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private final Duration interval;

	private final Supplier<T> read;

	private final LongSupplier nanoTime;

	private final ReentrantLock reading = new ReentrantLock();

	/** When it is read again without a change. */
	@GuardedBy("reading")
	private long nextAt;

	/** When it is read again after a change: not before as long again has passed. */
	@GuardedBy("reading")
	private long afterChangeAt;

	private volatile boolean expired;

	private volatile @Nullable Known<T> latest;

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
		return aged().value();
	}

	/**
	 * The same, with its age.
	 */
	Aged<T> aged() {
		Known<T> known = this.latest;
		boolean isFree = (known == null || this.expired) ? waited() : this.reading.tryLock();
		if (!isFree) {
			return checked(known);
		}
		try {
			known = this.latest;
			boolean never = known == null && this.failure == null;
			return (never || isDue()) ? read() : checked(known);
		}
		finally {
			this.reading.unlock();
		}
	}

	/**
	 * What was read last; null if nothing was.
	 */
	@Nullable T known() {
		Known<T> known = this.latest;
		return (known != null) ? known.value() : null;
	}

	/**
	 * Lets the next one who asks read again, since something was changed.
	 */
	void expire() {
		this.expired = true;
	}

	private boolean waited() {
		try {
			return this.reading.tryLock(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
	}

	@GuardedBy("reading")
	private boolean isDue() {
		long now = this.nanoTime.getAsLong();
		return now - this.nextAt >= 0 || (this.expired && now - this.afterChangeAt >= 0);
	}

	private Aged<T> checked(@Nullable Known<T> known) {
		RuntimeException failed = this.failure;
		if (failed != null) {
			throw failed;
		}
		if (known == null) {
			throw new CannotAcquireLockException("Others read it for the first time");
		}
		return new Aged<>(known.value(), Duration.ofNanos(Math.max(0, this.nanoTime.getAsLong() - known.readAt())));
	}

	@GuardedBy("reading")
	private Aged<T> read() {
		this.expired = false;
		long begun = this.nanoTime.getAsLong();
		try {
			Known<T> now = new Known<>(this.read.get(), begun);
			this.latest = now;
			this.failure = null;
			return checked(now);
		}
		catch (RuntimeException ex) {
			this.failure = ex;
			throw ex;
		}
		finally {
			long now = this.nanoTime.getAsLong();
			long took = now - begun;
			boolean failed = this.failure != null;
			long atWork = (this.failure instanceof CannotCreateTransactionException
					|| this.failure instanceof CannotGetJdbcConnectionException) ? 0 : took;
			long pause = failed ? Math.max(AFTER_FAILURE, Math.min(LONGEST_PAUSE_AFTER_FAILURE, atWork))
					: Math.max(this.interval.toNanos(), Math.min(LONGEST_PAUSE, SHARE * took));
			this.nextAt = now + pause;
			this.afterChangeAt = now + (failed ? 0 : Math.min(pause, took));
		}
	}

	private record Known<T>(T value, long readAt) {

	}

}
