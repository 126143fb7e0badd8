package io.jobqueue.store.jdbc.claim;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

import io.jobqueue.store.ReadyRange;

import org.jspecify.annotations.Nullable;

/**
 * How far claims have come in each range, and what looks from its start have cost.
 */
final class RangePoints {

	/** From when on a look from the start is one to be spared. */
	static final long COSTLY_NANOS = Duration.ofMillis(20).toNanos();

	static final int SHARE = 10;

	/** How long jobs before the point may wait while there are others behind it. */
	private static final long INTERVAL_NANOS = Duration.ofMillis(100).toNanos();

	private static final long LONGEST_NANOS = Duration.ofMinutes(5).toNanos();

	private static final int MOST_RANGES = 1_000;

	private final LongSupplier nanoTime;

	private final Map<Key, Progress> ranges = new ConcurrentHashMap<>();

	RangePoints(LongSupplier nanoTime) {
		this.nanoTime = nanoTime;
	}

	/**
	 * Whether the last look from the start took long, though it did not find all that was
	 * wanted.
	 * @param range the range
	 */
	boolean wasSlow(ReadyRange range) {
		Progress progress = this.ranges.get(Key.of(range));
		return progress != null && progress.took() > COSTLY_NANOS && !progress.full();
	}

	/**
	 * Where to start.
	 * @param range the range
	 * @return the point behind which to start, or null for the very start
	 */
	@Nullable Point of(ReadyRange range) {
		Progress progress = this.ranges.get(Key.of(range));
		return (progress != null && (progress.full() || progress.isCostly()) && !isLookDue(progress)) ? progress.point()
				: null;
	}

	/**
	 * Whether a look from the start is spared though nothing is behind the point.
	 * @param range the range
	 * @return true if it would take long, and was made lately
	 */
	boolean isSpared(ReadyRange range) {
		Progress progress = this.ranges.get(Key.of(range));
		return progress != null && progress.isCostly() && !isLookDue(progress);
	}

	private boolean isLookDue(Progress progress) {
		long share = Math.min(LONGEST_NANOS, SHARE * progress.cost());
		return this.nanoTime.getAsLong() - progress.lookedAt() > Math.max(INTERVAL_NANOS, share);
	}

	/**
	 * Notes a look from the very start.
	 * @param range the range
	 * @param end how far it came
	 * @param full whether there may be more behind it
	 * @param took how long it took, in nanoseconds
	 */
	void looked(ReadyRange range, StartingPoints.End end, boolean full, long took) {
		if (this.ranges.size() > MOST_RANGES) {
			this.ranges.clear();
		}
		this.ranges.compute(Key.of(range), (key, before) -> {
			Point point = further(end, full, (before != null) ? before.point() : null);
			long tookBefore = (before != null) ? before.took() : 0;
			return (point != null || took > COSTLY_NANOS)
					? new Progress(point, full, this.nanoTime.getAsLong(), took, tookBefore) : null;
		});
	}

	/**
	 * A full batch of jobs before the point is better followed up than left to the next
	 * looks. So is what may be committed late, where all was read over, and what was
	 * found and not taken.
	 */
	private static @Nullable Point further(StartingPoints.End end, boolean full, @Nullable Point known) {
		Point last = end.point();
		boolean counts = full || end.left() || (last != null && last.isUpToTime());
		return (last != null && (counts || known == null || last.isBehind(known))) ? last : known;
	}

	/**
	 * Notes a look from the very start that came to nothing.
	 * @param range the range
	 * @param took how long it took, in nanoseconds
	 */
	void failed(ReadyRange range, long took) {
		this.ranges.computeIfPresent(Key.of(range),
				(key, before) -> new Progress(before.point(), before.full(), this.nanoTime.getAsLong(), took, took));
	}

	/**
	 * Notes a look that took longer than the server is waited for. The second one in a
	 * row has read over more than it ever will in that time: the next ones start behind
	 * that, or this worker would never claim anything any more.
	 * @param range the range
	 * @param took how long it took, in nanoseconds
	 * @param now up to where it would have looked; null if the look before was quick
	 */
	void timedOut(ReadyRange range, long took, @Nullable Point now) {
		this.ranges.compute(Key.of(range), (key, before) -> {
			Point point = (before != null) ? before.point() : null;
			return new Progress((now != null && (point == null || now.isBehind(point))) ? now : point, false,
					this.nanoTime.getAsLong(), took, took);
		});
	}

	/**
	 * Notes a look from a starting point.
	 * @param range the range
	 * @param end how far it came
	 * @param full whether there may be more behind it
	 */
	void resumed(ReadyRange range, StartingPoints.End end, boolean full) {
		this.ranges.computeIfPresent(Key.of(range), (key, before) -> new Progress(further(end, full, before.point()),
				full, before.lookedAt(), before.took(), before.tookBefore()));
	}

	private record Key(String queue, int priority, int typeId) {

		static Key of(ReadyRange range) {
			return new Key(range.queue(), range.priority(), range.typeId());
		}

	}

	/**
	 * How far claims have come.
	 *
	 * @param point where the last one ended; null if that is not known
	 * @param full whether it found as many jobs as it wanted
	 * @param lookedAt when the last look from the start ended
	 * @param took how long that took
	 * @param tookBefore how long the one before took
	 */
	private record Progress(@Nullable Point point, boolean full, long lookedAt, long took, long tookBefore) {

		/** One that is slow once has been held up by something else. */
		long cost() {
			return Math.min(this.took, this.tookBefore);
		}

		boolean isCostly() {
			return cost() > COSTLY_NANOS;
		}

	}

}
