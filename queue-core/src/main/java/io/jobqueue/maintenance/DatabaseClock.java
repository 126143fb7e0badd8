package io.jobqueue.maintenance;

import java.time.Duration;
import java.time.LocalDateTime;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

/**
 * Compares the database's clock with this machine's monotonic one. After a jump ahead
 * every session looks expired, and what was claimed before seems to have been held for
 * longer than it was.
 */
final class DatabaseClock {

	private static final int MOST_JUMPS = 16;

	private final LongSupplier nanoTime;

	private final Duration tolerance;

	private final Deque<Jump> jumps = new ArrayDeque<>();

	private final long startNanos;

	private @Nullable LocalDateTime last;

	private long lastNanos;

	/**
	 * Starts to compare.
	 * @param nanoTime the monotonic clock
	 * @param tolerance by how much the two may differ from one reading to the next
	 */
	DatabaseClock(LongSupplier nanoTime, Duration tolerance) {
		this.nanoTime = nanoTime;
		this.tolerance = tolerance;
		this.startNanos = nanoTime.getAsLong();
	}

	/**
	 * Notes a reading of the database's clock, just made.
	 * @param now what it showed, in UTC
	 * @return by how much it has jumped ahead since the last reading; zero if it has not
	 */
	Duration read(LocalDateTime now) {
		long nanos = this.nanoTime.getAsLong();
		LocalDateTime before = this.last;
		Duration elapsed = Duration.ofNanos(nanos - this.lastNanos);
		this.last = now;
		this.lastNanos = nanos;
		if (before == null) {
			return Duration.ZERO;
		}
		Duration ahead = Duration.between(before, now).minus(elapsed);
		if (ahead.compareTo(this.tolerance) <= 0) {
			return Duration.ZERO;
		}
		this.jumps.addLast(new Jump(nanos, ahead));
		if (this.jumps.size() > MOST_JUMPS) {
			this.jumps.removeFirst();
		}
		return ahead;
	}

	/**
	 * The latest that the clock can show by now, unless it jumps.
	 */
	LocalDateTime latest(LocalDateTime now) {
		return now.plus(this.tolerance);
	}

	/**
	 * How long ago something was, without the jumps since then. Jumps before this object
	 * began to compare are not known, so the result is never longer than the time since
	 * it began.
	 * @param ago how long ago it was by the database's clock
	 * @return how long ago it was
	 */
	Duration elapsed(Duration ago) {
		long now = this.nanoTime.getAsLong();
		Duration elapsed = ago;
		for (Iterator<Jump> latest = this.jumps.descendingIterator(); latest.hasNext();) {
			Jump jump = latest.next();
			Duration since = Duration.ofNanos(now - jump.nanos());
			if (elapsed.compareTo(since) > 0) {
				Duration before = elapsed.minus(jump.ahead());
				elapsed = (before.compareTo(since) > 0) ? before : since;
			}
		}
		Duration known = Duration.ofNanos(now - this.startNanos);
		return (elapsed.compareTo(known) < 0) ? elapsed : known;
	}

	private record Jump(long nanos, Duration ahead) {

	}

}
