package io.jobqueue.store.jdbc.claim;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

import io.jobqueue.store.ReadyRange;

/**
 * Looks at a range that took long and found nothing, twice in a row: what comes into it
 * is for others. The range is left alone for ten times as long then, at most a second, so
 * that ranges with jobs for this node have their turns meanwhile.
 */
final class FruitlessLooks {

	private static final long LONGEST_NANOS = Duration.ofSeconds(1).toNanos();

	private static final int MOST_RANGES = 1_000;

	private final LongSupplier nanoTime;

	private final Map<ReadyRange, Look> last = new ConcurrentHashMap<>();

	FruitlessLooks(LongSupplier nanoTime) {
		this.nanoTime = nanoTime;
	}

	boolean isLeftAlone(ReadyRange range) {
		Look look = this.last.get(range.key());
		return look != null && look.pause() > 0 && this.nanoTime.getAsLong() - look.at() < look.pause();
	}

	/**
	 * Notes a look.
	 * @param range the range
	 * @param found whether it has found jobs
	 * @param took how long it took, in nanoseconds
	 */
	void looked(ReadyRange range, boolean found, long took) {
		if (found || took < RangePoints.COSTLY_NANOS) {
			this.last.remove(range.key());
			return;
		}
		if (this.last.size() > MOST_RANGES) {
			this.last.clear();
		}
		this.last.compute(range.key(), (key, before) -> {
			// One that is slow once has been held up by something else.
			long pause = (before != null) ? Math.min(LONGEST_NANOS, RangePoints.SHARE * Math.min(took, before.took()))
					: 0;
			return new Look(took, this.nanoTime.getAsLong(), pause);
		});
	}

	/**
	 * A look that has found nothing.
	 *
	 * @param took how long it took
	 * @param at when it ended
	 * @param pause how long the range is left alone afterwards; 0 if it is not
	 */
	private record Look(long took, long at, long pause) {

	}

}
