package io.jobqueue.benchmark;

import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;

/**
 * What one run of one system gave.
 *
 * @param jobs how many jobs
 * @param took how long they took
 * @param latencies how long each waited, in nanoseconds; empty if that was not measured
 */
public record Measurement(long jobs, Duration took, long[] latencies) {

	public Measurement(long jobs, Duration took) {
		this(jobs, took, new long[0]);
	}

	double perSecond() {
		return this.jobs / (this.took.toNanos() / 1e9);
	}

	String line() {
		String line = String.format(Locale.ROOT, "jobs=%d seconds=%.3f jobs_per_s=%.0f", this.jobs,
				this.took.toNanos() / 1e9, perSecond());
		return (this.latencies.length == 0) ? line
				: line + String.format(Locale.ROOT, " p50_ms=%.2f p99_ms=%.2f", percentile(0.5), percentile(0.99));
	}

	double percentile(double share) {
		long[] sorted = this.latencies.clone();
		Arrays.sort(sorted);
		return sorted[(int) Math.min(sorted.length - 1, Math.floor(share * sorted.length))] / 1e6;
	}

}
