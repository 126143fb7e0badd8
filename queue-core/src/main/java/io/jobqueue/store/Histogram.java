package io.jobqueue.store;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;

import org.jspecify.annotations.Nullable;

/**
 * How many durations were how long, in a few fixed ranges, each about three times as wide
 * as the one before. Two of them add up, whatever node and minute they are of.
 */
public final class Histogram {

	/** The upper ends of all ranges but the last one, which has none. */
	private static final List<Duration> ENDS = List.of(Duration.ofMillis(3), Duration.ofMillis(10),
			Duration.ofMillis(30), Duration.ofMillis(100), Duration.ofMillis(300), Duration.ofSeconds(1),
			Duration.ofSeconds(3), Duration.ofSeconds(10), Duration.ofSeconds(30), Duration.ofSeconds(100),
			Duration.ofSeconds(300), Duration.ofSeconds(1000), Duration.ofHours(1));

	private static final long[] END_NANOS = ENDS.stream().mapToLong(Duration::toNanos).toArray();

	/** How many ranges there are. */
	public static final int RANGES = END_NANOS.length + 1;

	/** One without any duration. */
	public static final Histogram EMPTY = new Histogram(new long[RANGES]);

	private final long[] counts;

	private Histogram(long[] counts) {
		this.counts = counts;
	}

	/**
	 * A histogram as it is stored.
	 * @param counts how many durations there are in each range
	 * @return the histogram
	 * @throws IllegalArgumentException if there are not as many as ranges
	 */
	public static Histogram of(long... counts) {
		if (counts.length != RANGES) {
			throw new IllegalArgumentException("A histogram has " + RANGES + " ranges, not " + counts.length);
		}
		return new Histogram(counts.clone());
	}

	/**
	 * Finds the range of a duration.
	 * @param nanos the duration in nanoseconds; a negative one counts as zero
	 * @return the number of the range, from 0
	 */
	public static int rangeOf(long nanos) {
		int found = Arrays.binarySearch(END_NANOS, nanos);
		return (found >= 0) ? found : -found - 1;
	}

	/**
	 * How many durations there are.
	 */
	public long total() {
		return LongStream.of(this.counts).sum();
	}

	/**
	 * How many durations a range has.
	 * @param range its number, from 0
	 */
	public long count(int range) {
		return this.counts[range];
	}

	/**
	 * The duration that a share of all do not exceed, as well as the ranges tell: it lies
	 * in the range where the exact one is. The last range has no end, so its start is
	 * what is returned for it.
	 * @param share the share, as 0.95
	 * @return the duration; null if there are none
	 */
	public @Nullable Duration quantile(double share) {
		long total = total();
		if (total == 0) {
			return null;
		}
		double wanted = share * total;
		long before = 0;
		for (int range = 0; range < END_NANOS.length; range++) {
			long count = this.counts[range];
			if (count > 0 && before + count >= wanted) {
				long start = (range == 0) ? 0 : END_NANOS[range - 1];
				double part = Math.max(0, wanted - before) / count;
				return Duration.ofNanos(start + Math.round(part * (END_NANOS[range] - start)));
			}
			before += count;
		}
		return ENDS.get(ENDS.size() - 1);
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof Histogram that && Arrays.equals(this.counts, that.counts);
	}

	@Override
	public int hashCode() {
		return Arrays.hashCode(this.counts);
	}

	@Override
	public String toString() {
		return Arrays.toString(this.counts);
	}

}
