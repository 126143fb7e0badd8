package io.jobqueue.benchmark;

import java.util.Arrays;
import java.util.Locale;

/**
 * The ratio of two systems, from the ratios of their pairs of runs.
 *
 * @param median the median of the pairs
 * @param pairs how many there were
 * @param least the least of them
 * @param most the most of them
 * @param low where the 95 % interval of the median begins; not a number with fewer than
 * six pairs
 * @param high where it ends
 */
record Ratio(double median, int pairs, double least, double most, double low, double high) {

	private static final double OUTSIDE = 0.05;

	/**
	 * The ratio of some pairs.
	 * @param pairs the ratio of each, in any order
	 */
	static Ratio of(double... pairs) {
		double[] sorted = pairs.clone();
		Arrays.sort(sorted);
		int count = sorted.length;
		double median = (count % 2 == 1) ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
		int left = leftOut(count);
		boolean known = left > 0;
		return new Ratio(median, count, sorted[0], sorted[count - 1], known ? sorted[left - 1] : Double.NaN,
				known ? sorted[count - left] : Double.NaN);
	}

	/**
	 * Each pair lies above the true median as likely as below it. So how many lie below
	 * is binomial, and the interval from the k-th of the sorted pairs to the k-th from
	 * the end misses the median with twice the probability of fewer than k.
	 * @return the largest k for which that is at most 5 %; 0 if there is none
	 */
	private static int leftOut(int count) {
		double probability = Math.pow(0.5, count);
		double sum = 0;
		for (int k = 0; k <= count / 2; k++) {
			sum += probability;
			if (2 * sum > OUTSIDE) {
				return k;
			}
			probability = probability * (count - k) / (k + 1);
		}
		return 0;
	}

	/**
	 * Whether the interval is narrow.
	 * @param halfWidth how far it may reach to either side of the median
	 */
	boolean isWithin(double halfWidth) {
		return this.median - this.low <= halfWidth && this.high - this.median <= halfWidth;
	}

	String line() {
		return String.format(Locale.ROOT, "%.2f pairs=%d range=%.2f..%.2f interval95=%.2f..%.2f", this.median,
				this.pairs, this.least, this.most, this.low, this.high);
	}

}
